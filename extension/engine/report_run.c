#include "extension/engine/report_run.h"

#include "codegen/model_path.h"
#include "extension/engine/card_collect.h"
#include "extension/engine/exchange_run.h"
#include "interop/exchange_file.h"

/* The format that was written. */
static enum status read_format(struct slice word, enum card_format *format, struct error *err)
{
    *format =
        slice_is_fold(word, "markdown") || slice_is_fold(word, "md") ? CARD_MARKDOWN : CARD_HTML;
    if (*format == CARD_MARKDOWN || word.size == 0 || slice_is_fold(word, "html"))
        return STATUS_OK;
    fail(err, STATUS_INVALID, "there is no format \"%.*s\" of reports", SLICE_FORMAT(word));
    return error_hint(err, "Formats are html and markdown.");
}

static void write_name(struct slice schema, struct slice name, struct text *out)
{
    if (schema.size > 0) {
        text_append_identifier(out, schema);
        text_append_char(out, '.');
    }
    text_append_identifier(out, name);
}

static enum status print_card(const struct host *host, const char *model, struct slice select,
                              enum card_format format, struct text *page, struct error *err)
{
    struct card card;
    enum status status = card_collect(host, model, select, THEME_AUTO, &card, err);

    if (status == STATUS_OK) {
        card_print(&card, format, page);
        if (page->failed)
            status = fail(err, STATUS_LIMIT, "the page is larger than %d MiB",
                          (int)(CARD_BYTES_MAX >> 20));
    }
    card_deinit(&card);
    return status;
}

static enum status print_model(const struct host *host, struct slice schema, struct slice name,
                               struct slice select, enum card_format format, struct text *page,
                               struct error *err)
{
    struct text model;
    enum status status;

    text_init(&model, TEXT_MAXIMUM);
    write_name(schema, name, &model);
    status = model.failed ? fail_no_memory(err)
                          : print_card(host, text_string(&model), select, format, page, err);
    text_deinit(&model);
    return status;
}

enum status report_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                       struct error *err)
{
    struct text page;
    enum card_format format;
    enum status status;
    size_t size;

    TRY(exchange_check_files(host, plan, "totrain.report('model') returns the page", err));
    if (plan->format.size > 0 && read_format(plan->format, &format, err) != STATUS_OK)
        return error_place(err, plan->format_position);
    if (plan->format.size == 0 && card_format_of(plan->file, &format, err) != STATUS_OK)
        return error_place(err, plan->file_position);
    text_init(&page, CARD_BYTES_MAX);
    status = print_model(host, plan->model_schema, plan->model_name, SLICE(""), format, &page, err);
    size = page.size;
    if (status == STATUS_INVALID || status == STATUS_PERMISSION || status == STATUS_LIMIT)
        error_place(err, plan->object_position);
    if (status == STATUS_OK &&
        (status = exchange_file_write(plan->file.data, text_slice(&page), err)) != STATUS_OK)
        error_place(err, plan->file_position);
    text_deinit(&page);
    TRY(status);
    return sink_row(sink,
                    (struct cell[]){cell_text(plan->model_name), cell_text(plan->file),
                                    cell_integer((int64_t)size)},
                    REPORT_MODEL_COLUMNS, err);
}

enum status report_function(const struct host *host, const struct report_call *call,
                            struct text *page, struct error *err)
{
    struct slice schema, name;
    struct arena arena;
    enum card_format format;
    enum status status;

    error_clear(err);
    TRY(read_format(call->format, &format, err));
    arena_init(&arena, ARENA_MAXIMUM);
    status = model_path_read(call->model, &arena, &schema, &name, err);
    if (status == STATUS_OK)
        status = print_model(host, schema, name, call->select, format, page, err);
    arena_deinit(&arena);
    return status;
}
