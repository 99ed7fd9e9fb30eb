/*
 * exchange_functions.h - models as bytes of other programs' files, in a query.
 *
 *     totrain_export_model(model, format)              a blob
 *     totrain_export_text(model, format)               a text, of the formats that are one
 *     totrain_import_model(model, content[, format])   writes the model; its version
 *     totrain_report(model[, format[, select]])        a page about the model
 *
 * They do what EXPORT MODEL and IMPORT MODEL do with files (extension/engine/exchange_run.h). The
 * content is a blob, or a text, as LightGBM's files and JSON are. Where an argument is NULL,
 * nothing is done and the result is NULL; a format or a SELECT that is NULL is as none. The page is
 * that of REPORT MODEL (extension/engine/report_run.h).
 */
#pragma once

#include "extension/sqlite/functions/sqlite_connection.h"

/* A result code of SQLite's. */
int exchange_functions_register(struct sqlite_connection *connection);
