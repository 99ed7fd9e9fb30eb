/*
 * jobspec_parts.h - what the files of the job spec share: getters that name the
 * member, and the section of jobs that score.
 */
#ifndef JOBSPEC_JOBSPEC_PARTS_H
#define JOBSPEC_JOBSPEC_PARTS_H

#include "base/json.h"
#include "jobspec/jobspec_words.h"

#define MEMBERS(...) ((const char *const[]){__VA_ARGS__, NULL})

#define NAME_BYTES_MAX  100000     /* a column's name: SQLite allows any length */
#define WORD_BYTES_MAX  64         /* names of estimators, families, metrics */
#define HOST_BYTES_MAX  45         /* of an IP address */
#define SCORED_ROWS_MAX UINT32_MAX /* of a spool */

/* Exactly these members, each once. */
enum status spec_check_members(const cJSON *object, const char *const *names, struct error *err);
/* An object of them. */
enum status spec_get_section(const cJSON *json, const char *name, const char *const *members,
                             const cJSON **section, struct error *err);
enum status spec_get_u32(const cJSON *object, const char *name, uint32_t least, uint32_t most,
                         uint32_t *value, struct error *err);
enum status spec_get_text(const cJSON *object, const char *name, size_t least, size_t most,
                          struct arena *arena, struct slice *value, struct error *err);
/* An absolute path, or none. */
enum status spec_get_path(const cJSON *object, const char *name, struct arena *arena,
                          struct slice *value, struct error *err);
/* One of the words, which end with NULL. */
enum status spec_get_word(const cJSON *object, const char *name, const char *const *words,
                          unsigned *index, struct error *err);
/* Names of 1 to WORD_BYTES_MAX bytes; at most `most`. */
enum status spec_get_words(const cJSON *object, const char *name, size_t most, struct arena *arena,
                           struct slice *words, size_t *count, struct error *err);

/* jobspec_scoring.c */
enum status spec_read_scoring(const cJSON *json, struct arena *arena, struct jobspec *spec,
                              struct error *err);
void spec_write_scoring(const struct spec_scoring *scoring, cJSON *json);
bool spec_same_scoring(const struct spec_scoring *a, const struct spec_scoring *b);

#endif
