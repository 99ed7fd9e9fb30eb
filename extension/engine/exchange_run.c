#include "extension/engine/exchange_run.h"

#include "codegen/model_path.h"
#include "extension/engine/host/stored_model.h"
#include "interop/exchange.h"
#include "interop/exchange_file.h"
#include "interop/formulas/formula_print.h"
#include "planner/plan/dialect.h"
#include "planner/plan/targets.h"

size_t exchange_memory(const struct host *host)
{
    return host->session.memory_max > 0 && host->session.memory_max < MODEL_ARENA_MAX
               ? (size_t)host->session.memory_max
               : MODEL_ARENA_MAX;
}

/* The form that a model is exported in: a file of another program's models, or formulas. */
struct export_format {
    bool is_formulas;
    enum exchange_format exchange;
    enum formula_language language;
};

static enum status find_export(const struct host *host, struct slice name, struct slice file,
                               struct export_format *format, struct error *err)
{
    const enum formula_language here =
        host->catalog.dialect == SQL_POSTGRES ? FORMULA_POSTGRES : FORMULA_SQLITE;

    format->is_formulas = formula_language_find(name, file, here, &format->language);
    if (format->is_formulas ||
        exchange_format_find(name, file, &format->exchange, err) == STATUS_OK)
        return STATUS_OK;
    return error_hint(err, "Formats are xgboost (.json), xgboost_ubj (.ubj) and lightgbm (.txt), "
                           "and sql (.sql), sqlite, postgres, c (.c) and onnx (.onnx).");
}

/* The prediction of a file of a model with an offset, and how the other program has the offset. */
static void note_offset(const struct model *model, enum exchange_format format,
                        const struct sink *sink)
{
    const struct transform_input *offset = transform_offset_input(&model->transform);
    const char *logarithm =
        offset && offset->spec.offset == OFFSET_EXPOSURE ? "the logarithm of " : "";
    const char *unit = *logarithm ? "exposure is 1" : "offset is 0";

    if (!offset)
        return;
    if (format == EXCHANGE_LIGHTGBM)
        sink_notice(sink,
                    "the file has no offset: LightGBM predicts as of rows whose %s, and %s\"%.*s\" "
                    "is to be added to its raw scores",
                    unit, logarithm, SLICE_FORMAT(offset->spec.name));
    else if (offset->spec.offset == OFFSET_MARGIN)
        sink_notice(sink,
                    "the file has no offset: XGBoost predicts as of rows whose %s, unless it is "
                    "given \"%.*s\" as base_margin",
                    unit, SLICE_FORMAT(offset->spec.name));
    else
        sink_notice(
            sink,
            "the file has no offset: XGBoost predicts as of rows whose %s, unless it is "
            "given a base_margin, which is %s\"%.*s\" and the file's base_score as a margin",
            unit, logarithm, SLICE_FORMAT(offset->spec.name));
}

/* sink: NULL: nobody is told. */
static enum status export_model(const struct host *host, struct slice schema, struct slice name,
                                const struct export_format *format, const struct sink *sink,
                                struct text *out, struct error *err)
{
    const struct stop stop = {host->session.interrupted, host->self};
    struct arena arena;
    struct model model;
    enum status status;

    arena_init(&arena, exchange_memory(host));
    status = stored_model_load(host, schema, name, &arena, &model, err);
    if (status == STATUS_OK)
        status = format->is_formulas
                     ? formula_export(&model, name, format->language, &arena, out, err)
                     : exchange_export(&model, format->exchange, stop.is_stopped ? &stop : NULL,
                                       out, err);
    if (status == STATUS_OK && sink && !format->is_formulas)
        note_offset(&model, format->exchange, sink);
    arena_deinit(&arena);
    return status;
}

enum status exchange_check_files(const struct host *host, const struct plan *plan,
                                 const char *function, struct error *err)
{
    if (!host->jobs)
        return STATUS_OK;
    fail_at(err, STATUS_UNSUPPORTED, plan->file_position,
            "inside of the server no statement reads or writes files");
    return error_hint(err, "The program does, totrain postgres://...; %s.", function);
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
    struct export_format format;
    struct text bytes;
    enum status status;
    size_t size;

    TRY(exchange_check_files(
        host, plan, "totrain.export_model('model', 'format') returns the file's bytes", err));
    if (find_export(host, plan->format, plan->file, &format, err) != STATUS_OK)
        return error_place(err,
                           plan->format.size > 0 ? plan->format_position : plan->file_position);
    text_init(&bytes, EXCHANGE_BYTES_MAX);
    status = export_model(host, plan->model_schema, plan->model_name, &format, sink, &bytes, err);
    size = bytes.size;
    if (status == STATUS_UNSUPPORTED || status == STATUS_LIMIT)
        error_place(err, plan->object_position);
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
                           struct model *model, const struct sink *sink, int64_t *version,
                           struct error *err)
{
    const struct table_target target = {.schema = schema, .name = name, .kind = TARGET_MODEL};
    struct publication publication = {.model = model, .sink = sink};

    TRY(host->tables->check_target(host->self, &target, err));
    TRY(host->models->publish(host->self, schema, name, &publication, err));
    *version = model->version;
    return STATUS_OK;
}

static enum status import_bytes(const struct host *host, struct slice schema, struct slice name,
                                struct slice bytes, struct slice statement, const struct sink *sink,
                                int64_t *version, struct error *err)
{
    const struct stop stop = {host->session.interrupted, host->self};
    struct arena arena;
    struct model model;
    enum status status;

    arena_init(&arena, exchange_memory(host));
    status = exchange_import(bytes, statement, stop.is_stopped ? &stop : NULL, &arena, &model, err);
    if (status == STATUS_OK)
        status = publish(host, schema, name, &model, sink, version, err);
    for (size_t i = 0; sink && status == STATUS_OK && model.notices && i < model.notices->count;
         i++)
        sink_notice(sink, "%s", model.notices->items[i].text);
    arena_deinit(&arena);
    return status;
}

static enum status check_begin(struct slice bytes, enum exchange_format format, struct slice name,
                               struct error *err)
{
    if (exchange_begins(bytes, format))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "the file is no model of the format \"%.*s\"",
                SLICE_FORMAT(name));
}

enum status import_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                       struct error *err)
{
    enum exchange_format format;
    struct text bytes;
    enum status status;
    int64_t version = 0;

    TRY(exchange_check_files(host, plan,
                             "totrain.import_model('model', bytea) takes the file's bytes", err));
    if (plan->format.size > 0) /* without a format the file's bytes tell it */
        TRY(find_format(plan, &format, err));
    text_init(&bytes, EXCHANGE_BYTES_MAX);
    status = exchange_file_read(plan->file.data, &bytes, err);
    if (status == STATUS_OK && plan->format.size > 0 &&
        check_begin(text_slice(&bytes), format, plan->format, err) != STATUS_OK)
        status = error_place(err, plan->format_position);
    if (status == STATUS_OK)
        status = import_bytes(host, plan->into_schema, plan->into_name, text_slice(&bytes),
                              plan->text, sink, &version, err);
    text_deinit(&bytes);
    if (status != STATUS_OK)
        return error_place(err, status == STATUS_INVALID && plan->object_position >= 0
                                    ? plan->object_position
                                    : plan->file_position);
    return sink_row(sink, (struct cell[]){cell_text(plan->into_name), cell_integer(version)}, 2,
                    err);
}

/* ----- functions, which have bytes ----- */

static enum status export_by_path(const struct host *host, struct slice path,
                                  const struct export_format *format, struct text *out,
                                  struct error *err)
{
    struct slice schema, name;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = model_path_read(path, &arena, &schema, &name, err);
    if (status == STATUS_OK)
        status = export_model(host, schema, name, format, NULL, out, err);
    arena_deinit(&arena);
    return status;
}

enum status export_function(const struct host *host, struct slice path, struct slice format,
                            struct text *out, struct error *err)
{
    struct export_format found;

    error_clear(err);
    TRY(find_export(host, format, SLICE(""), &found, err));
    return export_by_path(host, path, &found, out, err);
}

enum status export_text_function(const struct host *host, struct slice path, struct slice format,
                                 struct text *out, struct error *err)
{
    struct export_format found;

    error_clear(err);
    TRY(find_export(host, format, SLICE(""), &found, err));
    if (found.is_formulas ? found.language == FORMULA_ONNX : found.exchange == EXCHANGE_XGBOOST_UBJ)
        return fail(err, STATUS_UNSUPPORTED, "format %s is bytes, and no text",
                    found.is_formulas ? "onnx" : "xgboost_ubj"),
               error_hint(err, "%s returns bytes.",
                          dialect_of(host->catalog.dialect)->export_bytes);
    return export_by_path(host, path, &found, out, err);
}

static enum status import_named(const struct host *host, struct slice path, struct slice bytes,
                                struct arena *arena, int64_t *version, struct error *err)
{
    struct slice schema, name;
    struct text statement;
    enum status status;

    TRY(model_path_read(path, arena, &schema, &name, err));
    TRY(target_check(&host->catalog, schema, name, err));
    text_init(&statement, TEXT_MAXIMUM);
    text_append_string(&statement, "IMPORT MODEL ");
    model_path_write(schema, name, &statement);
    status = statement.failed ? fail_no_memory(err)
                              : import_bytes(host, schema, name, bytes, text_slice(&statement),
                                             NULL, version, err);
    text_deinit(&statement);
    return status;
}

enum status import_function(const struct host *host, struct slice path, struct slice bytes,
                            struct slice format, int64_t *version, struct error *err)
{
    enum exchange_format found;
    struct arena arena;
    enum status status;

    error_clear(err);
    if (format.data) {
        TRY(exchange_format_find(format, SLICE(""), &found, err));
        TRY(check_begin(bytes, found, format, err));
    }
    arena_init(&arena, ARENA_MAXIMUM);
    status = import_named(host, path, bytes, &arena, version, err);
    arena_deinit(&arena);
    return status;
}
