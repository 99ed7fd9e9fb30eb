#include "postgres_host/host.h"

#include <stdio.h>

void postgres_host_init(struct postgres_host *host, const struct pg_database *database,
                        const char *program, const char *state)
{
    *host = (struct postgres_host){.database = database, .job_login = ""};
    snprintf(host->program, sizeof host->program, "%s", program);
    snprintf(host->state, sizeof host->state, "%s", state ? state : "");
    host->host = (struct host){
        .self = host,
        .program = host->program,
        .state = state ? host->state : NULL,
        .catalog = {.self = host,
                    .dialect = SQL_POSTGRES,
                    .describe = postgres_describe,
                    .find_model = postgres_find_model,
                    .has_schema = postgres_has_schema},
        .interrupted = postgres_interrupted,
        .query = postgres_query,
        .guess_rows = postgres_guess_rows,
        .find_table = postgres_find_table,
        .check_functions = postgres_check_functions,
        .check_target = postgres_check_target,
        .publish = postgres_publish,
        .fill_tables = postgres_fill_tables,
        .fill_rows = postgres_fill_rows,
        .keep_rows = postgres_keep_rows,
        .write_row = postgres_write_row,
        .load_model = postgres_load_model,
        .load_meta = postgres_load_meta,
        .list_models = postgres_list_models,
        .list_versions = postgres_list_versions,
        .list_metrics = postgres_list_metrics,
        .restore = postgres_restore,
    };
}
