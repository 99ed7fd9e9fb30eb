#include "extension/sqlite/host/sqlite_host.h"

#include <stdio.h>
#include <unistd.h>

#include "extension/engine/host/stored_model.h"
#include "extension/sql/definitions.h"
#include "extension/sql/models.h"
#include "extension/sql/publish.h"
#include "extension/sql/tables.h"
#include "extension/sqlite/host/database_sqlite.h"
#include "extension/sqlite/host/fill_rows.h"
#include "extension/sqlite/host/models.h"
#include "extension/sqlite/host/parallel_scan.h"
#include "extension/sqlite/host/query.h"
#include "extension/sqlite/host/row_guess.h"
#include "extension/sqlite/host/sqlite_variant.h"
#include "extension/sqlite/host/tables.h"

/* At each statement: a shell has .cd. */
static enum status working_folder(void *self, struct arena *arena, struct slice *folder,
                                  struct error *err)
{
    char path[PATH_MAX];

    (void)self;
    if (!getcwd(path, sizeof path))
        return fail_errno(err, STATUS_IO, "the folder of this session cannot be found");
    *folder = arena_copy(arena, slice_of(path));
    return folder->data ? STATUS_OK : fail_no_memory(err);
}

/* They are the session's own. */
static enum status host_check_functions(void *self, struct error *err)
{
    (void)self;
    (void)err;
    return STATUS_OK;
}

static const struct host_rows rows = {
    .query = host_query,
    .scan = host_scan,
    .guess = host_guess_rows,
    .check_functions = host_check_functions,
};

static const struct host_models models = {
    .publish = sql_publish,
    .find_place = host_find_place,
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
    .check_target = host_check_target,
    .fill = sql_fill_tables,
    .fill_rows = host_fill_rows,
    .write_rows = sql_write_rows,
};

static const struct host_marks marks = {.has = host_has_mark};

static void name_database(void *self, struct text *name)
{
    text_append(name, host_find_file(self, (struct slice){NULL, 0}));
}

void sqlite_host_init(struct sqlite_host *host, sqlite3 *db, const char *program)
{
    struct sql_host *sql = &host->sql;

    *host = (struct sqlite_host){.db = db};
    database_sqlite_init(host);
    sql->database = &host->database;
    sql->variant = &sqlite_variant;
    snprintf(sql->program, sizeof sql->program, "%s", program);
    sql->host = (struct host){
        .self = host,
        .catalog = {.self = host,
                    .describe = host_describe,
                    .each_row = host_each_row,
                    .find_model = sql_find_model,
                    .find_definition = sql_find_definition,
                    .has_schema = host_has_schema,
                    .find_file = host_find_file,
                    .working_folder = working_folder},
        .session = {.program = sql->program,
                    .database = name_database,
                    .interrupted = host_interrupted},
        .rows = &rows,
        .models = &models,
        .definitions = &sql_definitions,
        .tables = &tables,
        .marks = &marks,
    };
    stored_model_limit_of_environment(&sql->host);
}
