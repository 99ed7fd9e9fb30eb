/*
 * log.tensorboard: a folder, where the host takes paths at all. A database server
 * does not: its users may not write everywhere where the server may.
 */
#include "planner/training/log_folder.h"

#include <string.h>

#include "planner/plan/planning.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"

#define PATH_BYTES_MAX 2000

static enum status make_absolute(const struct planning *planning, struct slice path,
                                 struct slice *absolute)
{
    const struct catalog *catalog = planning->catalog;
    struct slice folder;

    TRY(catalog->working_folder(catalog->self, planning->arena, &folder, planning->err));
    *absolute =
        arena_printf(planning->arena, "%.*s/%.*s", SLICE_FORMAT(folder), SLICE_FORMAT(path));
    return absolute->data ? STATUS_OK : fail_no_memory(planning->err);
}

enum status log_folder_plan(struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "log.tensorboard");
    struct slice path, *folder = &planning->plan->spec.tensorboard;

    if (!setting)
        return STATUS_OK;
    path = setting->value.text;
    if (!planning->catalog->working_folder) {
        fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
                "log.tensorboard is a path, and this database allows none");
        return error_hint(planning->err, "How a job learns is in its table of metrics, too.");
    }
    if (path.size > PATH_BYTES_MAX || memchr(path.data, '\0', path.size))
        return fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
                       "log.tensorboard is the path of a folder, of at most %d bytes",
                       PATH_BYTES_MAX);
    if (path.data[0] == '/')
        return slice_keep(planning, path, folder);
    return make_absolute(planning, path, folder);
}
