#include "cli/card_command.h"

#include "cli/model_command.h"
#include "cli/session/output_file.h"
#include "extension/engine/card_collect.h"

static const char usage_start[] =
    "usage: totrain report DB MODEL [-c SELECT] [-o FILE] [--theme light|dark]\n"
    "\n"
    "Writes a report of a model as one page for people without a database: metrics with\n"
    "intervals, curves, confusion matrix, thresholds, calibration, importance of the inputs,\n"
    "SHAP values, partial dependence, drift, notices, and the statement that trained it. The\n"
    "page is complete: it loads no script, font or file.\n"
    "\n"
    "The model is measured on the rows of -c. Without -c it is measured on its training\n"
    "rows, which flatter it. If FILE ends in .md, the report is in Markdown.\n"
    "\n"
    "    totrain report shop.db churn_model -c \"SELECT * FROM unseen\" -o churn.html\n"
    "\n"
    "options:\n";

static enum status check(const struct options *options, struct error *err)
{
    if (options->word_count == 2 && options->input_count <= 1)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "report takes a database and a model, and one -c");
    return error_hint(err, "totrain report --help shows how it is called.");
}

static enum status print_card(struct session *session, const struct options *options,
                              struct error *err)
{
    const struct slice select =
        options->input_count > 0 ? slice_of(options->inputs[0].value) : SLICE("");
    enum card_format format = CARD_HTML;
    struct card card;
    struct text page;
    enum status status;

    if (options->output)
        TRY(card_format_of(slice_of(options->output), &format, err));
    text_init(&page, CARD_BYTES_MAX);
    status = card_collect(session->host, options->words[1], select, options->theme, &card, err);
    if (status == STATUS_OK) {
        card_print(&card, format, &page);
        status = page.failed ? fail(err, STATUS_LIMIT, "the page is larger than %d MiB",
                                    (int)(CARD_BYTES_MAX >> 20))
                             : output_file_write(options->output, &page, err);
    }
    card_deinit(&card);
    text_deinit(&page);
    return status;
}

static enum status print_report(const struct options *options, struct error *err)
{
    struct session session;
    enum status status;

    TRY(check(options, err));
    status = model_command_open(&session, options, err);
    if (status == STATUS_OK)
        status = print_card(&session, options, err);
    session_close(&session);
    return status;
}

int command_report(int argc, char **argv)
{
    return model_command(argc, argv, usage_start, MODEL_COMMAND_TAKES, print_report);
}
