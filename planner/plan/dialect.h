/*
 * dialect.h - what is different in the SQL of the databases, a row for each.
 *
 * Statements are planned and lowered by these members, and do not ask which database it is. Where
 * whole texts differ, as hints that name functions, enum sql_dialect (catalog.h) still decides.
 */
#pragma once

#include "planner/plan/catalog.h"

struct dialect {
    size_t name_bytes_max;    /* most of a table's or model's name */
    size_t column_bytes_max;  /* most of the name of a column that is made */
    bool folds_names;         /* a name without quotes means its small letters */
    bool names_types;         /* a blob is a value of any type that no model reads */
    bool takes_rows;          /* scoring functions get a row as it is, and find inputs by name */
    bool keeps_rows;          /* rows stay in the database while workers score them */
    const char *temporary;    /* the schema of temporary tables, and a dot */
    const char *schema_now;   /* a query for the schema of new tables; NULL: "main" */
    const char *at_least;     /* >=, and the beginning of a number behind it */
    const char *end_of_real;  /* the end of that number */
    const char *by_parts;     /* how a SELECT makes a date of its parts */
    const char *export_bytes; /* the function that exports a model as bytes */
};

const struct dialect *dialect_of(enum sql_dialect dialect);
