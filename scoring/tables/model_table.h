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
 *     statistics  input             number     NULL     JSON: the training rows' values
 *                                                       (input_statistics.h), last those of the
 *                                                       predictions
 *
 * The table alone is enough to predict. A model is hostile input when it is
 * loaded: everything is checked before any allocation that depends on it, and
 * no code, path or URL in it is ever used. The `weight` part is for people; it
 * is not read back, and left out beyond MODEL_WEIGHT_ROWS_MAX.
 * docs/model-tables.md describes it all.
 */
#pragma once

#include "scoring/model.h"

#define MODEL_CHUNK_BYTES     ((size_t)256 << 10)
#define MODEL_FOLD_SCORES     "fold scores" /* a part of the models of folds alone */
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
    bool data_is_text; /* meta, vocabulary and statistics: UTF-8 the user can read */
    struct slice data;
};

/* CORRUPT where a row of a tensor does not match its checksum. */
enum status model_chunk_check(const struct model_row *row, struct error *err);

/* Called once per row, in the order meta, weight, tensor, vocabulary, statistics. */
typedef enum status model_row_sink(void *context, const struct model_row *row, struct error *err);

/* Rows in any order; `meta` need not come first. After the last row
 * model_reader_finish checks that all is there and gives the model, which lives
 * in the arena (its maximum bounds what a hostile table can make us allocate).
 * `kinds`, NULL-terminated, are those that a model may be of: kinds/kinds.h has all. */
struct model_reader;
enum status model_reader_new(const struct kind *const *kinds, struct arena *arena,
                             struct model_reader **reader, struct error *err);
enum status model_reader_add(struct model_reader *reader, const struct model_row *row,
                             struct error *err);
/* A model_row_sink, whose context is the reader. */
enum status model_reader_take(void *reader, const struct model_row *row, struct error *err);
enum status model_reader_finish(struct model_reader *reader, struct model *model,
                                struct error *err);
/* The same without a look at the model's checksum: of rows that a fuzzer makes up. */
enum status model_reader_assemble(struct model_reader *reader, struct model *model,
                                  struct error *err);
void model_reader_free(struct model_reader *reader);

/* Reads what the planner needs from the meta row's data alone: the same struct with content and
 * vocabularies left empty, and how large they are: model.memory, model.multiplications. */
enum status model_read_meta(struct slice meta_json, const struct kind *const *kinds,
                            struct arena *arena, struct model *model, struct error *err);
