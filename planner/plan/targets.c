#include "planner/plan/targets.h"

#include <string.h>

#include "planner/plan/dialect.h"
#include "planner/plan/planning.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"

static bool starts_with(struct slice name, const char *front)
{
    size_t size = strlen(front);

    return name.size >= size && slice_is_fold((struct slice){name.data, size}, front);
}

size_t target_name_max(enum sql_dialect dialect)
{
    return dialect_of(dialect)->name_bytes_max;
}

static enum status check_name(const struct name *name, enum sql_dialect dialect, struct error *err)
{
    const size_t most = target_name_max(dialect);

    if (name->text.size == 0)
        return fail_at(err, STATUS_INVALID, name->position, "a name is empty");
    if (name->text.size > most)
        return fail_at(err, STATUS_INVALID, name->position,
                       "a name of %zu bytes, where at most %zu are possible", name->text.size,
                       most);
    if (starts_with(name->text, "sqlite_") || starts_with(name->text, "totrain_")) {
        fail_at(err, STATUS_INVALID, name->position, "the name \"%.*s\" is reserved",
                SLICE_FORMAT(name->text));
        return error_hint(err, "Names that begin with sqlite_ belong to SQLite, with totrain_ to "
                               "ToTrain.");
    }
    return STATUS_OK;
}

static enum status check_schema(const struct catalog *catalog, const struct name *schema,
                                struct slice name, struct error *err)
{
    if (!catalog->has_schema || catalog->has_schema(catalog->self, name))
        return STATUS_OK;
    fail_at(err, STATUS_NOT_FOUND, schema->position, "no schema \"%.*s\"",
            SLICE_FORMAT(schema->text));
    return error_hint(err,
                      "schema.table means a schema in PostgreSQL and an attached database in "
                      "SQLite; there is none of the name %.*s.",
                      SLICE_FORMAT(schema->text));
}

/* name or schema.name */
static enum status split_path(struct planning *planning, const struct path *path,
                              struct slice *schema, struct slice *name)
{
    const struct name last = path_last(path);

    *schema = *name = (struct slice){NULL, 0};
    if (path->count > 2) {
        fail_at(planning->err, STATUS_INVALID, path->parts[0].position,
                "a name of %d parts, where at most 2 are possible", path->count);
        return error_hint(planning->err, "Write name, or schema.name.");
    }
    if (path->count == 2) {
        TRY(name_keep(planning, &path->parts[0], schema));
        TRY(check_schema(planning->catalog, &path->parts[0], *schema, planning->err));
    }
    return name_keep(planning, &last, name);
}

enum status target_plan(struct planning *planning, const struct path *path, struct slice *schema,
                        struct slice *name)
{
    struct name last = path_last(path);

    planning->plan->object_position = last.position;
    TRY(check_name(&last, planning->catalog->dialect, planning->err));
    return split_path(planning, path, schema, name);
}

enum status target_check(const struct catalog *catalog, struct slice schema, struct slice name,
                         struct error *err)
{
    const struct name place = {.text = schema, .position = -1};

    TRY(check_name(&(struct name){.text = name, .position = -1}, catalog->dialect, err));
    return schema.size > 0 ? check_schema(catalog, &place, schema, err) : STATUS_OK;
}

enum status model_plan(struct planning *planning)
{
    struct plan *plan = planning->plan;

    return split_path(planning, &planning->statement->object, &plan->model_schema,
                      &plan->model_name);
}

enum status model_find(struct planning *planning)
{
    struct plan *plan = planning->plan;
    const struct catalog *catalog = planning->catalog;
    enum status status;

    TRY(model_plan(planning));
    status = catalog->find_model(catalog->self, plan->model_schema, plan->model_name,
                                 planning->arena, &plan->model, planning->err);
    if (status != STATUS_OK && planning->err && planning->err->position < 0)
        planning->err->position = path_last(&planning->statement->object).position;
    return status;
}

enum status file_plan(struct planning *planning, struct slice schema, struct slice name)
{
    const struct setting *setting = settings_find(planning, "job.wait");
    const struct catalog *catalog = planning->catalog;
    struct slice file = {NULL, 0};

    if (catalog->find_file)
        file = catalog->find_file(catalog->self, schema);
    if (file.size > 0)
        return slice_keep(planning, file, &planning->plan->into_file);
    if (catalog->limits.no_detach)
        return fail_at(planning->err, STATUS_INVALID, setting->value.span.start, "%s",
                       catalog->limits.no_detach),
               error_hint(planning->err, "%s", catalog->limits.no_detach_hint);
    fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
            "job.wait = false, and \"%.*s\" would be made in memory or as a temporary table",
            SLICE_FORMAT(name));
    return error_hint(planning->err, "The job outlives this session, such a table does not: leave "
                                     "job.wait out, or write INTO a database that is a file.");
}

enum status target_check_not_model(const struct planning *planning, int position)
{
    const struct plan *plan = planning->plan;

    if (!slice_equal_fold(plan->target_table, plan->model_name) ||
        !slice_equal_fold(plan->target_schema, plan->model_schema))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, position, "the target \"%.*s\" is the model itself",
            SLICE_FORMAT(plan->target_table));
    return error_hint(planning->err, "Its table would be replaced; name another one.");
}

enum status target_replacing(struct planning *planning, const char *attribute)
{
    const struct setting *setting = settings_find(planning, attribute);
    struct plan *plan = planning->plan;

    if (!setting)
        return STATUS_OK;
    plan->replaces_any = setting_is_true(setting);
    if (plan->has_target)
        return STATUS_OK;
    return fail_at(planning->err, STATUS_INVALID, setting->name.position,
                   "%s has a use only where a table is written", attribute);
}

enum status target_into(struct planning *planning, const char *attribute)
{
    const struct path *into = &planning->statement->into;
    struct plan *plan = planning->plan;

    if (into->count > 0) {
        plan->has_target = true;
        TRY(target_plan(planning, into, &plan->target_schema, &plan->target_table));
        TRY(target_check_not_model(planning, into->parts[0].position));
    }
    return target_replacing(planning, attribute);
}
