#include "cli/card_command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/card_collect.h"
#include "cli/output_file.h"
#include "extension/postgres/libpq/database_libpq.h"

static const char usage_start[] =
    "usage: totrain report DB MODEL [-c SELECT] [-o FILE] [--theme light|dark]\n"
    "\n"
    "Writes what a model is worth as one page for somebody who has no database: its\n"
    "metrics with intervals, curves, confusion matrix, thresholds, calibration, the\n"
    "importance of its inputs, SHAP values, partial dependence, drift, notices, and the\n"
    "statement that made it. The page needs nothing else: no script, font or file.\n"
    "\n"
    "It is measured on the rows of -c, or, without it, on those of the statement that\n"
    "trained the model, which flatter it. A FILE that ends in .md gets Markdown.\n"
    "\n"
    "    totrain report shop.db churn_model -c \"SELECT * FROM unseen\" -o churn.html\n"
    "\n"
    "options:\n";

static bool is_markdown(const char *path)
{
    const size_t size = path ? strlen(path) : 0;

    return size > 3 && strcmp(path + size - 3, ".md") == 0;
}

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
    struct card card;
    struct text page;
    enum status status;

    text_init(&page, CARD_BYTES_MAX);
    status = card_collect(session, options->words[1], select, options->theme, &card, err);
    if (status == STATUS_OK) {
        if (is_markdown(options->output))
            card_print_markdown(&card, &page);
        else
            card_print_html(&card, &page);
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
    if (!libpq_is_address(options->words[0]) && access(options->words[0], F_OK) != 0)
        return fail_errno(err, STATUS_CONNECTION, "%s", options->words[0]);
    status = session_open(&session, options->words[0], options, err);
    if (status == STATUS_OK)
        status = print_card(&session, options, err);
    session_close(&session);
    return status;
}

int command_report(int argc, char **argv)
{
    const unsigned takes = OPTION_SQL | OPTION_OUTPUT | OPTION_THEME | OPTION_COLOUR | OPTION_HELP;
    struct options options;
    struct error err;
    enum status status;

    error_clear(&err);
    if (options_read(argc, argv, takes, &options, &err) != STATUS_OK)
        return report(&err, options.colour);
    if (options.wants_help) {
        fputs(usage_start, stdout);
        options_print(takes, stdout);
        return 0;
    }
    options.progress = PROGRESS_NONE;
    status = print_report(&options, &err);
    return status == STATUS_OK ? 0 : report(&err, options.colour);
}
