#include "planner/plan/definitions.h"

#include "definition/zoo.h"
#include "planner/attributes/estimators.h"
#include "planner/attributes/short_names.h"

static enum status refuse_zoo(const struct planning *planning, const char *what)
{
    const struct name *name = &planning->statement->model;

    fail_at(planning->err, STATUS_INVALID, name->position, "%s comes with ToTrain, and %s",
            zoo_find(planning->plan->definition_name.name)->name, what);
    return error_hint(planning->err, "SHOW DEFINITIONS; lists the definitions.");
}

static enum status read_name(struct planning *planning)
{
    const struct name *name = &planning->statement->model;

    planning->plan->object_position = name->position;
    return definition_name_read(name, planning->arena, &planning->plan->definition_name,
                                planning->err);
}

static enum status check_schema(const struct planning *planning)
{
    const struct catalog *catalog = planning->catalog;
    const struct slice schema = planning->plan->definition_name.schema;

    if (schema.size == 0 || !catalog->has_schema || catalog->has_schema(catalog->self, schema))
        return STATUS_OK;
    return fail_at(planning->err, STATUS_NOT_FOUND, planning->statement->model.position,
                   "there is no schema \"%.*s\"", SLICE_FORMAT(schema));
}

enum status definition_check_arguments(const struct definition *definition, struct arena *arena,
                                       struct error *err)
{
    const struct estimator *estimator = estimator_defined();

    for (size_t i = 0; i < definition->argument_count; i++) {
        const struct definition_argument *argument = &definition->arguments[i];
        const struct slice name = arena_printf(arena, "model.%.*s", SLICE_FORMAT(argument->name));
        const struct attribute *attribute;

        if (!name.data)
            return fail_no_memory(err);
        attribute = attribute_find_written(name, SCOPE_TRAIN, estimator);
        if (!attribute || !estimator_uses(estimator, attribute))
            continue;
        fail_at(err, STATUS_INVALID, argument->place, "%.*s is an attribute of all models",
                SLICE_FORMAT(name));
        return error_hint(err, "Give the argument another name.");
    }
    return STATUS_OK;
}

/* A name that a new definition may have. */
static enum status take_new_name(struct planning *planning)
{
    TRY(read_name(planning));
    if (zoo_find(planning->plan->definition_name.name))
        return refuse_zoo(planning, "means the same everywhere");
    return check_schema(planning);
}

enum status definition_plan_import(struct planning *planning)
{
    return take_new_name(planning);
}

enum status definition_plan_define(struct planning *planning)
{
    struct definition *definition = ARENA_NEW(planning->arena, struct definition, 1);
    struct plan *plan = planning->plan;
    const struct statement *statement = planning->statement;

    if (!definition)
        return fail_no_memory(planning->err);
    TRY(take_new_name(planning));
    TRY(definition_of_statement(statement, planning->program, planning->arena, definition,
                                planning->err));
    TRY(definition_check_arguments(definition, planning->arena, planning->err));
    plan->definition = definition;
    plan->is_replacing = statement->is_replacing;
    return STATUS_OK;
}

enum status definition_plan_drop(struct planning *planning)
{
    TRY(read_name(planning));
    if (zoo_find(planning->plan->definition_name.name))
        return refuse_zoo(planning, "stays");
    planning->plan->if_exists = planning->statement->if_exists;
    return planning->plan->if_exists ? STATUS_OK : check_schema(planning);
}

/* ----- those that there are ----- */

static enum status find_stored(struct planning *planning, struct definition *definition)
{
    const struct catalog *catalog = planning->catalog;
    const struct definition_name *name = &planning->plan->definition_name;
    struct stored_definition *stored = &planning->plan->stored;

    if (!catalog->find_definition)
        return fail_at(planning->err, STATUS_NOT_FOUND, planning->statement->model.position,
                       "there is no definition \"%.*s\"", SLICE_FORMAT(name->name));
    if (catalog->find_definition(catalog->self, name->schema, name->name, planning->arena, stored,
                                 planning->err) != STATUS_OK)
        return error_place(planning->err, planning->statement->model.position);
    if (definition_of_stored(stored->statement, name->name, planning->arena, definition,
                             planning->err) != STATUS_OK)
        return error_place(planning->err, planning->statement->model.position);
    return STATUS_OK;
}

enum status definition_find(struct planning *planning)
{
    struct definition *definition = ARENA_NEW(planning->arena, struct definition, 1);
    const struct zoo_definition *zoo;

    if (!definition)
        return fail_no_memory(planning->err);
    TRY(read_name(planning));
    zoo = zoo_find(planning->plan->definition_name.name);
    if (zoo)
        TRY(definition_of_stored(slice_of(zoo->statement), slice_of(zoo->name), planning->arena,
                                 definition, planning->err));
    else
        TRY(find_stored(planning, definition));
    planning->plan->definition = definition;
    return STATUS_OK;
}

enum status definition_plan_show(struct planning *planning)
{
    return definition_find(planning);
}
