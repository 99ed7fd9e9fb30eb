#include "extension/postgres/sql/postgres_host.h"

#include <stdio.h>

#include "extension/postgres/sql/fill_rows.h"
#include "extension/postgres/sql/models.h"
#include "extension/postgres/sql/postgres_variant.h"
#include "extension/postgres/sql/query.h"
#include "extension/postgres/sql/replace.h"
#include "extension/postgres/sql/saved_rows.h"
#include "extension/postgres/sql/tables.h"
#include "extension/sql/definitions.h"
#include "extension/sql/models.h"
#include "extension/sql/publish.h"
#include "extension/sql/tables.h"

static const struct host_models models = {
    .publish = sql_publish,
    .find_place = postgres_find_place,
    .load = sql_load_model,
    .each_row = sql_each_model_row,
    .load_meta = sql_load_meta,
    .is_callers = sql_is_callers_model,
    .list = sql_list_models,
    .list_versions = sql_list_versions,
    .list_metrics = sql_list_metrics,
    .restore = sql_restore,
};

static const struct host_tables tables = {
    .check_target = postgres_check_target,
    .fill = sql_fill_tables,
    .fill_rows = postgres_fill_rows,
    .write_rows = sql_write_rows,
};

static const struct host_kept_rows kept_rows = {
    .keep = postgres_keep_rows,
    .forget = postgres_forget_rows,
    .show = postgres_show_rows,
    .save = postgres_save_rows,
    .restore = postgres_restore_rows,
};

static const struct host_marks marks = {.has = postgres_has_mark};

void postgres_host_init(struct sql_host *host, const struct database *database, const char *program,
                        const char *state)
{
    *host = (struct sql_host){.database = database, .variant = &postgres_variant, .job_login = ""};
    snprintf(host->program, sizeof host->program, "%s", program);
    snprintf(host->state, sizeof host->state, "%s", state ? state : "");
    host->host = (struct host){
        .self = host,
        .catalog = {.self = host,
                    .dialect = SQL_POSTGRES,
                    .describe = postgres_describe,
                    .each_row = postgres_each_row,
                    .find_model = sql_find_model,
                    .find_definition = sql_find_definition,
                    .has_schema = postgres_has_schema},
        .session = {.state = state ? host->state : NULL,
                    .program = host->program,
                    .interrupted = postgres_interrupted},
        .models = &models,
        .definitions = &sql_definitions,
        .tables = &tables,
        .kept_rows = &kept_rows,
        .marks = &marks,
    };
}
