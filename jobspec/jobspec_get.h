/*
 * jobspec_get.h - members of a job spec's JSON, by name.
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"

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
