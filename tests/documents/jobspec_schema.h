/*
 * jobspec_schema.h - what a job spec may hold, as JSON Schema (draft 2020-12).
 *
 * jobspec/NAME.schema.json is of a job that trains a model of kind NAME, scoring.schema.json of one
 * that scores a table. Their members are those of the attribute rows, with the rows' ranges and
 * words, and the few that jobspec_read.c has besides. tests/unit/test_attributes.c prints the files
 * and holds them against this.
 */
#pragma once

#include "scoring/kind.h"

/* kind NULL: a job that scores. */
enum status jobspec_print_schema(const struct kind *kind, struct text *out, struct error *err);
