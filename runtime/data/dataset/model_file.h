/*
 * model_file.h - a model as a file of a job's folder: for scorers that have no store, and for
 * learners that go on from it.
 *
 *     u32 size of the row | part, name, data: u32 size, bytes | u8 flags | i64 position | f64 value
 *
 * The meta row comes first, the others as they came. A reader of models checks that no row is
 * missing (scoring/tables/model_table.h).
 */
#pragma once

#include "scoring/tables/model_table.h"

#define MODEL_FILE "model.rows"

enum status model_file_write(const char *path, const struct model *model, struct error *err);

/* Row by row: create --(put)*--> close, which frees it in every case, and with anything but OK so
 * far returns that. */
struct model_file;
enum status model_file_create(const char *path, struct model_file **file, struct error *err);
enum status model_file_put(void *file, const struct model_row *row, struct error *err);
enum status model_file_close(struct model_file *file, enum status so_far, struct error *err);

/* CORRUPT for what model_file_write does not write. Rows are borrowed until `each` returns. */
enum status model_file_read(const char *path, model_row_sink *each, void *context,
                            struct error *err);
