/*
 * statement_json.h - a statement as JSON, for tests and tools.
 */
#pragma once

#include "parser/statement.h"

/* Append the statement's tree as one JSON object (docs/language.md describes
 * its members): what `totrain parse` prints. */
enum status statement_print_json(const struct statement *statement, struct text *out,
                                 struct error *err);
