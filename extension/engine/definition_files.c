#include "extension/engine/definition_files.h"

#include "extension/engine/exchange_run.h"
#include "graph/graph_print.h"
#include "interop/exchange.h"
#include "interop/exchange_file.h"
#include "kinds/graph/graph_model.h"
#include "planner/plan/definitions.h"

#define NETWORK_NAME "zoo/network" /* until it has the statement's */

enum status export_definition_run(const struct host *host, const struct plan *plan,
                                  const struct sink *sink, struct error *err)
{
    const struct definition *definition = plan->definition;
    struct text text;
    enum status status;

    TRY(exchange_check_files(host, plan, "SHOW DEFINITION has the statement", err));
    text_init(&text, TEXT_MAXIMUM);
    text_append(&text, definition->statement);
    text_append_string(&text, ";\n");
    status = text.failed ? fail_no_memory(err)
                         : exchange_file_write(plan->file.data, text_slice(&text), err);
    if (status != STATUS_OK)
        error_place(err, plan->file_position);
    else
        status = sink_row(sink,
                          (struct cell[]){cell_text(definition->name.name), cell_text(plan->file),
                                          cell_integer((int64_t)text.size)},
                          3, err);
    text_deinit(&text);
    return status;
}

/* The calls of a network as a statement. */
static enum status print_network(struct slice bytes, struct arena *arena, struct text *statement,
                                 struct error *err)
{
    struct model model;

    TRY(exchange_import(bytes, SLICE(""), NULL, arena, &model, err));
    graph_print_definition(graph_model_of(&model)->graph, NETWORK_NAME, statement);
    return statement->failed ? fail_no_memory(err) : STATUS_OK;
}

static enum status read_file(const struct plan *plan, struct arena *arena,
                             struct definition *definition, struct error *err)
{
    struct text bytes, statement;
    enum status status;

    text_init(&bytes, EXCHANGE_BYTES_MAX);
    text_init(&statement, TEXT_MAXIMUM);
    status = exchange_file_read(plan->file.data, &bytes, err);
    if (status == STATUS_OK && exchange_begins(text_slice(&bytes), EXCHANGE_ONNX))
        status = print_network(text_slice(&bytes), arena, &statement, err);
    else if (status == STATUS_OK)
        text_append(&statement, text_slice(&bytes));
    if (status == STATUS_OK)
        status = statement.failed
                     ? fail_no_memory(err)
                     : definition_of_file(text_slice(&statement), plan->definition_name.name, arena,
                                          definition, err);
    if (status == STATUS_OK)
        status = definition_check_arguments(definition, arena, err);
    text_deinit(&statement);
    text_deinit(&bytes);
    return status == STATUS_OK ? status : error_place(err, plan->file_position);
}

enum status import_definition_run(const struct host *host, const struct plan *plan,
                                  const struct sink *sink, struct error *err)
{
    struct definition definition;
    struct arena arena;
    int64_t version = 0;
    enum status status;

    TRY(exchange_check_files(host, plan,
                             "DEFINE MODEL takes the text, and totrain.import_model('model', "
                             "bytea) a network, whose text SHOW MODEL has",
                             err));
    arena_init(&arena, exchange_memory(host));
    status = read_file(plan, &arena, &definition, err);
    if (status == STATUS_OK &&
        (status = host->definitions->define(host->self, plan->definition_name.schema, &definition,
                                            false, &version, err)) != STATUS_OK)
        error_place(err, plan->object_position);
    if (status == STATUS_OK)
        status = sink_row(
            sink, (struct cell[]){cell_text(definition.name.name), cell_integer(version)}, 2, err);
    arena_deinit(&arena);
    return status;
}
