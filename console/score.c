#include "console/score.h"

#include <string.h>

#include "base/arena.h"
#include "console/json_rows.h"
#include "parser/parser.h"
#include "planner/attributes/estimators.h"

/* A setting by its full or its short name. */
static bool has_setting(const struct statement *statement, const char *name)
{
    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct slice written = statement->settings[i].name.text;
        const char *dot = memchr(written.data, '.', written.size);
        const size_t skip = dot ? (size_t)(dot - written.data) + 1 : 0;

        if (slice_is_fold((struct slice){written.data + skip, written.size - skip}, name))
            return true;
    }
    return false;
}

static bool has_default(const struct estimator *estimator, const char *name)
{
    for (const struct estimator_default *one = estimator->defaults; one && one->attribute; one++)
        if (strcmp(one->attribute, name) == 0)
            return true;
    return false;
}

/* An objective may rank rows, and several names leave the task to it. */
static const char *name_of(const struct statement *statement)
{
    const struct estimator *estimator;
    struct error ignored;

    error_clear(&ignored);
    if (statement->kind != STATEMENT_TRAIN || has_setting(statement, "objective") ||
        estimator_find(&statement->model, &estimator, &ignored) != STATUS_OK ||
        estimator_beside(estimator) || has_default(estimator, "objective"))
        return "score";
    return estimator->task == TASK_CLASSIFICATION ? "accuracy"
           : estimator->task == TASK_REGRESSION   ? "RMSE"
                                                  : "score";
}

void score_append(struct slice statement, struct text *out)
{
    struct statement parsed = {0};
    struct arena arena;
    struct error ignored;

    error_clear(&ignored);
    arena_init(&arena, ARENA_MAXIMUM);
    if (parse_statement(statement, &arena, &parsed, &ignored) != STATUS_OK)
        parsed = (struct statement){.kind = STATEMENT_SQL};
    text_printf(out, "{\"name\":\"%s\",\"label\":", name_of(&parsed));
    if (parsed.label.text.size > 0)
        json_append_string(out, parsed.label.text);
    else
        text_append_string(out, "null");
    text_append_char(out, '}');
    arena_deinit(&arena);
}
