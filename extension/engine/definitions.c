#include "extension/engine/definitions.h"

#include "definition/zoo.h"
#include "planner/attributes/attribute_check.h"

enum status define_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                       struct error *err)
{
    const struct definition *definition = plan->definition;
    int64_t version = 0;

    if (host->definitions->define(host->self, definition->name.schema, definition,
                                  plan->is_replacing, &version, err) != STATUS_OK)
        return error_place(err, plan->object_position);
    return sink_row(sink, (struct cell[]){cell_text(definition->name.name), cell_integer(version)},
                    2, err);
}

enum status drop_definition_run(const struct host *host, const struct plan *plan,
                                const struct sink *sink, struct error *err)
{
    const struct definition_name *name = &plan->definition_name;
    const enum status status = host->definitions->drop(host->self, name->schema, name->name, err);
    const bool is_missing = status == STATUS_NOT_FOUND && plan->if_exists;

    if (status != STATUS_OK && !is_missing)
        return error_place(err, plan->object_position);
    return sink_row(
        sink,
        (struct cell[]){cell_text(name->name), cell_string(is_missing ? "not there" : "dropped")},
        2, err);
}

/* "dim = 16, hidden = [64, 32]" */
static void append_arguments(const struct definition *definition, struct text *out)
{
    for (size_t i = 0; i < definition->argument_count; i++) {
        const struct definition_argument *argument = &definition->arguments[i];

        text_printf(out, "%s%.*s = ", i > 0 ? ", " : "", SLICE_FORMAT(argument->name));
        value_append(argument->value, out);
    }
}

static enum status put_definition(const struct definition *definition, struct slice shown,
                                  const struct stored_definition *stored, const struct sink *sink,
                                  struct error *err)
{
    const bool is_stored = stored->version > 0;
    enum status status;
    struct text arguments;

    text_init(&arguments, TEXT_MAXIMUM);
    append_arguments(definition, &arguments);
    status = arguments.failed
                 ? fail_no_memory(err)
                 : sink_row(sink,
                            (struct cell[]){cell_text(shown), cell_text(text_slice(&arguments)),
                                            is_stored ? cell_integer(stored->version) : cell_null(),
                                            is_stored ? cell_text(stored->created_at) : cell_null(),
                                            cell_string(definition->digest)},
                            SHOW_DEFINITIONS_COLUMNS, err);
    text_deinit(&arguments);
    return status;
}

/* One whose text is damaged is left out, as a model is that cannot be read. */
static enum status put_stored(void *self, const struct cell *cells, size_t count, struct error *err)
{
    const struct sink *sink = self;
    const struct stored_definition stored = {
        .statement = cells[4].text, .created_at = cells[3].text, .version = cells[2].integer};
    struct definition definition;
    struct arena arena;
    struct error ignored;
    enum status status = STATUS_OK;

    (void)count;
    arena_init(&arena, ARENA_MAXIMUM);
    if (definition_of_stored(stored.statement, cells[1].text, &arena, &definition, &ignored) ==
        STATUS_OK)
        status = put_definition(&definition, cells[0].text, &stored, sink, err);
    arena_deinit(&arena);
    return status;
}

static enum status put_zoo(const struct sink *sink, struct error *err)
{
    const struct stored_definition none = {.version = 0};
    enum status status = STATUS_OK;

    for (const struct zoo_definition *zoo = zoo_definitions; zoo->name && status == STATUS_OK;
         zoo++) {
        struct definition definition;
        struct arena arena;

        arena_init(&arena, ARENA_MAXIMUM);
        status = definition_of_stored(slice_of(zoo->statement), slice_of(zoo->name), &arena,
                                      &definition, err);
        if (status == STATUS_OK)
            status = put_definition(&definition, slice_of(zoo->name), &none, sink, err);
        arena_deinit(&arena);
    }
    return status;
}

enum status show_definitions_run(const struct host *host, const struct sink *sink,
                                 struct error *err)
{
    const struct sink rows = {.self = (void *)sink, .row = put_stored};

    TRY(put_zoo(sink, err));
    return host->definitions->list(host->self, &rows, err);
}

static enum status put(const struct sink *sink, const char *name, struct cell value,
                       struct error *err)
{
    return sink_row(sink, (struct cell[]){cell_string(name), value}, 2, err);
}

static enum status put_argument(const struct definition *definition,
                                const struct definition_argument *argument, const struct sink *sink,
                                struct error *err)
{
    struct text name, value, help;
    enum status status;

    text_init(&name, TEXT_MAXIMUM);
    text_init(&value, TEXT_MAXIMUM);
    text_init(&help, TEXT_MAXIMUM);
    text_printf(&name, "model.%.*s", SLICE_FORMAT(argument->name));
    value_append(argument->value, &value);
    text_printf(&help, "Argument of %.*s.", SLICE_FORMAT(definition->name.name));
    status =
        name.failed || value.failed || help.failed
            ? fail_no_memory(err)
            : sink_row(sink,
                       (struct cell[]){cell_text(text_slice(&name)),
                                       cell_string(definition_type_name(argument->type)),
                                       cell_text(text_slice(&value)), cell_text(text_slice(&help))},
                       4, err);
    text_deinit(&help);
    text_deinit(&value);
    text_deinit(&name);
    return status;
}

enum status definition_arguments_run(const struct definition *definition, const struct sink *sink,
                                     struct error *err)
{
    for (size_t i = 0; i < definition->argument_count; i++)
        TRY(put_argument(definition, &definition->arguments[i], sink, err));
    return STATUS_OK;
}

enum status show_definition_run(const struct plan *plan, const struct sink *sink, struct error *err)
{
    const struct definition *definition = plan->definition;
    const struct zoo_definition *zoo = zoo_find(definition->name.name);

    TRY(put(sink, "name", cell_text(definition->name.name), err));
    if (zoo)
        TRY(put(sink, "about", cell_string(zoo->help), err));
    else {
        TRY(put(sink, "version", cell_integer(plan->stored.version), err));
        TRY(put(sink, "created_at", cell_text(plan->stored.created_at), err));
    }
    TRY(put(sink, "digest", cell_string(definition->digest), err));
    return put(sink, "statement", cell_text(definition->statement), err);
}
