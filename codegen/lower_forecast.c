#include "codegen/lower_forecast.h"

#include "codegen/lower_sql.h"
#include "codegen/model_path.h"

static const char *const postgres_types[] = {[RESULT_INTEGER] = "pg_catalog.int8",
                                             [RESULT_REAL] = "pg_catalog.float8",
                                             [RESULT_TEXT] = "pg_catalog.text",
                                             [RESULT_DATE] = "pg_catalog.date",
                                             [RESULT_MOMENT] = "pg_catalog.\"timestamp\""};
static const char *const sqlite_types[] = {[RESULT_INTEGER] = "INTEGER",
                                           [RESULT_REAL] = "REAL",
                                           [RESULT_TEXT] = "TEXT",
                                           [RESULT_DATE] = "TEXT",
                                           [RESULT_MOMENT] = "TEXT"};

#define RESULTS_BEHIND_GROUPS 4

static void append_sqlite(const struct plan *plan, struct slice path, struct text *sql)
{
    static const char *const names[RESULTS_BEHIND_GROUPS] = {"time", "value", "lower", "upper"};
    const size_t groups = plan->result_count - RESULTS_BEHIND_GROUPS;

    text_append_string(sql, "SELECT ");
    for (size_t i = 0; i < plan->result_count; i++) {
        text_append_string(sql, i > 0 ? ", q." : "q.");
        if (i < groups)
            text_printf(sql, "group_%zu", i + 1);
        else
            text_append_string(sql, names[i - groups]);
        text_append_string(sql, " AS ");
        text_append_identifier(sql, plan->results[i].name);
    }
    text_append_string(sql, " FROM totrain_forecast(");
    text_append_literal(sql, path);
    text_printf(sql, ", %u, ", plan->steps);
    text_append_real(sql, plan->level);
    text_append_string(sql, ") AS q");
}

static void append_definitions(const struct plan *plan, const char *const *types, struct text *sql)
{
    text_append_string(sql, " (");
    for (size_t i = 0; i < plan->result_count; i++) {
        text_append_string(sql, i > 0 ? ", " : "");
        text_append_identifier(sql, plan->results[i].name);
        text_printf(sql, " %s", types[plan->results[i].type]);
    }
    text_append_char(sql, ')');
}

static void append_postgres(const struct plan *plan, struct slice path, struct text *sql)
{
    text_append_string(sql, "SELECT q.* FROM totrain.forecast_rows(");
    lower_literal(path, sql);
    text_printf(sql, ", %u, '", plan->steps);
    text_append_real(sql, plan->level);
    text_append_string(sql, "'::pg_catalog.float8) AS q");
    append_definitions(plan, postgres_types, sql);
}

enum status lower_forecast(const struct plan *plan, struct text *sql, struct error *err)
{
    struct text path;

    text_init(&path, TEXT_MAXIMUM);
    model_path_write(plan->model_schema, plan->model_name, &path);
    if (plan->dialect == SQL_POSTGRES)
        append_postgres(plan, text_slice(&path), sql);
    else
        append_sqlite(plan, text_slice(&path), sql);
    sql->failed = sql->failed || path.failed;
    text_deinit(&path);
    return sql->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status lower_forecast_table(const struct plan *plan, struct text *sql, struct error *err)
{
    lower_table(plan, plan->target_table, sql);
    append_definitions(plan, plan->dialect == SQL_POSTGRES ? postgres_types : sqlite_types, sql);
    return sql->failed ? fail_no_memory(err) : STATUS_OK;
}
