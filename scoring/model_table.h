/*
 * model_table.h - a model as rows (part, name, position, value, data).
 *
 *     part        name              position   value    data
 *     meta        "meta"            0          NULL     JSON: kind, transform, labels, statement,
 *                                                       version, digest
 *     weight      feature           class      weight   (linear models only) in the units of the
 *                                                       table's columns; "(intercept)", and a
 *                                                       category's is named column=word
 *     tensor      "layer0/weights"  chunk      NULL     little-endian float32, MODEL_CHUNK_BYTES
 *                                                       but for the last, after the 8-byte
 *                                                       XXH3-64 of the chunk
 *     vocabulary  column            word's id  count    the word
 *
 * The table alone is enough to predict. A model is hostile input when it is
 * loaded: everything is checked before any allocation that depends on it, and
 * no code, path or URL in it is ever used. The `weight` part is for people; it
 * is not read back, and left out beyond MODEL_WEIGHT_ROWS_MAX.
 * docs/model-tables.md describes it all.
 */
#ifndef SCORING_MODEL_TABLE_H
#define SCORING_MODEL_TABLE_H

#include "scoring/model.h"

#define MODEL_FORMAT_VERSION  1
#define MODEL_CHUNK_BYTES     ((size_t)256 << 10)
#define MODEL_META_BYTES_MAX  ((size_t)16 << 20)
#define MODEL_ROWS_MAX        ((uint64_t)64 << 20)
#define MODEL_WEIGHT_ROWS_MAX 1000000
#define MODEL_ROW_BYTES       ((size_t)64)

struct model_row {
    struct slice part, name;
    int64_t position;
    bool has_value;
    double value;
    bool has_data;
    bool data_is_text; /* meta and vocabulary: UTF-8 the user can read */
    struct slice data;
};

/* Called once per row, in the order meta, weight, tensor, vocabulary. */
typedef enum status model_row_sink(void *context, const struct model_row *row, struct error *err);
enum status model_write(const struct model *model, model_row_sink *sink, void *context,
                        struct error *err);
/*
 * The same rows by and by, counted from 0 in the same order: from number *next on, until those
 * given to the sink have `bytes_max` bytes, the last one included: MODEL_ROW_BYTES each, and their
 * names and data. *next is the row that follows, *is_at_end whether there is none. One call holds
 * no more than one row, and takes as long as what it gives, but for the weight part, which it walks
 * through.
 */
enum status model_write_some(const struct model *model, uint64_t *next, size_t bytes_max,
                             bool *is_at_end, model_row_sink *sink, void *context,
                             struct error *err);

/* Rows in any order; `meta` need not come first. After the last row
 * model_reader_finish checks that all is there and gives the model, which lives
 * in the arena (its maximum bounds what a hostile table can make us allocate).
 * `kinds`, NULL-terminated, are those that a model may be of: kinds/kinds.h has all. */
struct model_reader;
enum status model_reader_new(const struct kind *const *kinds, struct arena *arena,
                             struct model_reader **reader, struct error *err);
enum status model_reader_add(struct model_reader *reader, const struct model_row *row,
                             struct error *err);
enum status model_reader_finish(struct model_reader *reader, struct model *model,
                                struct error *err);
void model_reader_free(struct model_reader *reader);

/* What the planner needs, from the meta row's data alone: the same struct with
 * content and vocabularies left empty. */
enum status model_read_meta(struct slice meta_json, const struct kind *const *kinds,
                            struct arena *arena, struct model *model, struct error *err);

/* Everything that the digest covers, in a fixed order and little-endian, given
 * to `update` piece by piece; the caller brings SHA-256. */
void model_digest_feed(const struct model *model,
                       void (*update)(void *context, const void *bytes, size_t size),
                       void *context);

#endif
