#include "cli/session/next_step.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kinds/forecast/forecast_kind.h"
#include "planner/attributes/estimators.h"

#define SELECT_BYTES_MAX 80 /* longer ones, and those of several lines, are not written again */
#define MARGIN           "       "

static bool is_for_a_person(const struct session *session)
{
    const struct formatter *formatter = &session->formatter;

    return session->progress.mode == PROGRESS_AUTO && formatter->out == stdout &&
           isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) &&
           (formatter->format == FORMAT_TABLE || formatter->format == FORMAT_BOX ||
            formatter->format == FORMAT_LINE);
}

/* The name as the statement has it, in quotes where it had some. */
static void append_path(const struct path *path, struct text *out)
{
    for (int i = 0; i < path->count; i++) {
        text_append_string(out, i > 0 ? "." : "");
        if (path->parts[i].quoted)
            text_append_identifier(out, path->parts[i].text);
        else
            text_append(out, path->parts[i].text);
    }
}

static void append_steps(const struct statement *statement, struct text *out)
{
    const struct slice select = statement->select;
    const struct estimator *estimator;
    struct error ignored;
    struct text model;

    text_init(&model, 1024);
    append_path(&statement->into, &model);
    text_printf(out, "NEXT:  SHOW MODEL %s;\n", text_string(&model));
    if (estimator_find(&statement->model, &estimator, &ignored) == STATUS_OK &&
        estimator->kind == &forecast_kind)
        text_printf(out, MARGIN "FORECAST %s;\n", text_string(&model));
    else if (select.size <= SELECT_BYTES_MAX && !memchr(select.data, '\n', select.size)) {
        if (statement->label.text.size > 0)
            text_printf(out, MARGIN "%.*s TO EVALUATE %s;\n", SLICE_FORMAT(select),
                        text_string(&model));
        text_printf(out, MARGIN "%.*s TO PREDICT USING %s;\n", SLICE_FORMAT(select),
                    text_string(&model));
    }
    if (!model.failed && !out->failed)
        fputs(text_string(out), stderr);
    text_deinit(&model);
}

static bool has_run(const struct statement *statement)
{
    for (size_t i = 0; i < statement->setting_count; i++)
        if (slice_is_fold(statement->settings[i].name.text, "job.wait"))
            return false; /* the model is not there yet */
    return statement->kind == STATEMENT_TRAIN && !statement->explain_plan;
}

void next_step_print(const struct session *session, struct slice text, const struct piece *piece)
{
    struct statement statement;
    struct arena arena;
    struct error ignored;
    struct text out;

    if (!is_for_a_person(session) || piece->kind != PIECE_OURS)
        return;
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&out, 4096);
    if (parse_piece(text, piece, &arena, &statement, &ignored) == STATUS_OK && has_run(&statement))
        append_steps(&statement, &out);
    text_deinit(&out);
    arena_deinit(&arena);
}
