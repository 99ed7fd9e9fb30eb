/*
 * statement_json.h - a statement as JSON, for tests and tools.
 */
#ifndef PARSER_STATEMENT_JSON_H
#define PARSER_STATEMENT_JSON_H

#include "parser/statement.h"

/* Append the statement's tree as one JSON object (docs/language.md describes
 * its members): what `totrain parse` prints. */
enum status statement_print_json(const struct statement *statement, struct text *out,
                                 struct error *err);

#endif
