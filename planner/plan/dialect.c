#include "planner/plan/dialect.h"

#include "planner/plan/planning.h"

static const struct dialect dialects[] = {
    [SQL_SQLITE] = {.name_bytes_max = TABLE_BYTES_MAX,
                    .column_bytes_max = SIZE_MAX,
                    .temporary = "temp.",
                    .at_least = " >= ",
                    .end_of_real = "",
                    .by_parts = ", as by substr",
                    .export_bytes = "totrain_export_model"},
    [SQL_POSTGRES] = {.name_bytes_max = NAME_BYTES_POSTGRES,
                      .column_bytes_max = NAME_BYTES_POSTGRES, /* the server would cut it */
                      .folds_names = true,
                      .names_types = true,
                      .takes_rows = true,
                      .keeps_rows = true,
                      .temporary = "pg_temp.",
                      .schema_now = "SELECT pg_catalog.current_schema()",
                      .at_least = " OPERATOR(pg_catalog.>=) '",
                      .end_of_real = "'::pg_catalog.float8",
                      .by_parts = ", as by to_date",
                      .export_bytes = "totrain.export_model"},
};

const struct dialect *dialect_of(enum sql_dialect dialect)
{
    return &dialects[dialect];
}
