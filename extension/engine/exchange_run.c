#include "extension/engine/exchange_run.h"

#include "interop/exchange.h"
#include "interop/exchange_file.h"

static enum status export_model(const struct host *host, struct slice schema, struct slice name,
                                enum exchange_format format, struct text *out, struct error *err)
{
    struct arena arena;
    struct model model;
    enum status status;

    arena_init(&arena, MODEL_ARENA_MAX);
    status = host->models->load(host->self, schema, name, &arena, &model, err);
    if (status == STATUS_OK)
        status = exchange_export(&model, format, out, err);
    arena_deinit(&arena);
    return status;
}

/* The files that a server sees are not the client's. */
static enum status refuse_in_server(const struct host *host, const struct plan *plan,
                                    struct error *err)
{
    if (!host->jobs)
        return STATUS_OK;
    fail_at(err, STATUS_UNSUPPORTED, plan->file_position,
            "inside of the server no statement reads or writes files");
    return error_hint(err, "The program does: totrain postgres://...");
}

static enum status find_format(const struct plan *plan, enum exchange_format *format,
                               struct error *err)
{
    if (exchange_format_find(plan->format, plan->file, format, err) == STATUS_OK)
        return STATUS_OK;
    return error_place(err, plan->format.size > 0 ? plan->format_position : plan->file_position);
}

enum status export_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                       struct error *err)
{
    enum exchange_format format;
    struct text bytes;
    enum status status;
    size_t size;

    TRY(refuse_in_server(host, plan, err));
    TRY(find_format(plan, &format, err));
    text_init(&bytes, EXCHANGE_BYTES_MAX);
    status = export_model(host, plan->model_schema, plan->model_name, format, &bytes, err);
    size = bytes.size;
    if (status == STATUS_OK &&
        (status = exchange_file_write(plan->file.data, text_slice(&bytes), err)) != STATUS_OK)
        error_place(err, plan->file_position);
    text_deinit(&bytes);
    TRY(status);
    return sink_row(sink,
                    (struct cell[]){cell_text(plan->model_name), cell_text(plan->file),
                                    cell_integer((int64_t)size)},
                    3, err);
}

static enum status publish(const struct host *host, struct slice schema, struct slice name,
                           struct model *model, int64_t *version, struct error *err)
{
    const struct table_target target = {.schema = schema, .name = name, .kind = TARGET_MODEL};
    struct publication publication = {.model = model};

    TRY(host->tables->check_target(host->self, &target, err));
    TRY(host->models->publish(host->self, schema, name, &publication, err));
    *version = model->version;
    return STATUS_OK;
}

static enum status import_bytes(const struct host *host, struct slice schema, struct slice name,
                                struct slice bytes, struct slice statement, int64_t *version,
                                struct error *err)
{
    struct arena arena;
    struct model model;
    enum status status;

    arena_init(&arena, MODEL_ARENA_MAX);
    status = exchange_import(bytes, statement, &arena, &model, err);
    if (status == STATUS_OK)
        status = publish(host, schema, name, &model, version, err);
    arena_deinit(&arena);
    return status;
}

enum status import_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                       struct error *err)
{
    enum exchange_format format;
    struct text bytes;
    enum status status;
    int64_t version = 0;

    TRY(refuse_in_server(host, plan, err));
    if (plan->format.size > 0) /* what the file is, its bytes tell */
        TRY(find_format(plan, &format, err));
    text_init(&bytes, EXCHANGE_BYTES_MAX);
    status = exchange_file_read(plan->file.data, &bytes, err);
    if (status == STATUS_OK && plan->format.size > 0 &&
        !exchange_begins(text_slice(&bytes), format))
        status = fail_at(err, STATUS_CORRUPT, plan->format_position,
                         "the file is no model of the format \"%.*s\"", SLICE_FORMAT(plan->format));
    if (status == STATUS_OK)
        status = import_bytes(host, plan->into_schema, plan->into_name, text_slice(&bytes),
                              plan->text, &version, err);
    text_deinit(&bytes);
    if (status != STATUS_OK)
        return error_place(err, status == STATUS_INVALID && plan->object_position >= 0
                                    ? plan->object_position
                                    : plan->file_position);
    return sink_row(sink, (struct cell[]){cell_text(plan->into_name), cell_integer(version)}, 2,
                    err);
}
