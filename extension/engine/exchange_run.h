/*
 * exchange_run.h - EXPORT MODEL and IMPORT MODEL: models between tables and files, and the
 * functions that do the same with bytes.
 *
 *     EXPORT MODEL, IMPORT MODEL     export_run, import_run          a file of the client's
 *     totrain.export_model, ...      export_function, ...            bytes in a query
 *
 * Files are the client's. Inside of a server no statement reads or writes one: UNSUPPORTED.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

/* Bytes that a model may take here: a server limits them. */
size_t exchange_memory(const struct host *host);
/* UNSUPPORTED inside of a server, whose files are not the client's. `function` says what is there
 * instead: "totrain.export_model('model', 'format') returns the file's bytes". */
enum status exchange_check_files(const struct host *host, const struct plan *plan,
                                 const char *function, struct error *err);
/* A row: model, file, bytes. */
enum status export_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                       struct error *err);
/* A row: model, version. A model of the name becomes an older version, as TRAIN has it. */
enum status import_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                       struct error *err);

/* `path` names the model as scoring functions do (codegen/model_path.h). The bytes are appended to
 * `out`. Errors have no place: the caller knows its arguments. */
enum status export_function(const struct host *host, struct slice path, struct slice format,
                            struct text *out, struct error *err);
/* The same where a text is wanted. UNSUPPORTED: the format's bytes are none. */
enum status export_text_function(const struct host *host, struct slice path, struct slice format,
                                 struct text *out, struct error *err);
/* A `format` whose data is NULL: what the bytes are, they tell. Rights, names and versions are
 * those of IMPORT MODEL; the model's statement is IMPORT MODEL and its name. */
enum status import_function(const struct host *host, struct slice path, struct slice bytes,
                            struct slice format, int64_t *version, struct error *err);
