#include "sqlite_host/host.h"
#include "sqlite_host/parallel_scan.h"

#include <stdio.h>
#include <unistd.h>

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

void sqlite_host_init(struct sqlite_host *host, sqlite3 *db, const char *program)
{
    *host = (struct sqlite_host){.db = db};
    snprintf(host->program, sizeof host->program, "%s", program);
    host->host = (struct host){
        .self = host,
        .program = host->program,
        .catalog = {.self = host,
                    .describe = host_describe,
                    .find_model = host_find_model,
                    .has_schema = host_has_schema,
                    .find_file = host_find_file,
                    .working_folder = working_folder},
        .interrupted = host_interrupted,
        .query = host_query,
        .scan = host_scan,
        .guess_rows = host_guess_rows,
        .check_target = host_check_target,
        .publish = host_publish,
        .find_place = host_find_place,
        .fill_tables = host_fill_tables,
        .fill_rows = host_fill_rows,
        .has_mark = host_has_mark,
        .write_row = host_write_row,
        .load_model = host_load_model,
        .load_meta = host_load_meta,
        .list_models = host_list_models,
        .list_versions = host_list_versions,
        .list_metrics = host_list_metrics,
        .restore = host_restore,
    };
}
