/*
 * The rows that EXPLAIN and SHOW ATTRIBUTES return.
 */
#include "extension/engine/show.h"

#include "extension/engine/definitions.h"
#include "extension/engine/host/notice_rows.h"
#include "extension/engine/jobs/job_history.h"
#include "extension/engine/rows/sample_notices.h"
#include "extension/engine/score/score.h"
#include "extension/engine/score/score_choice.h"
#include "extension/engine/score/unfamiliar_count.h"
#include "planner/attributes/attributes.h"
#include "planner/explain/explain.h"
#include "planner/plan/plan.h"

/* About how many rows there are to learn from; 0: it would take time to find out. */
static uint64_t rows_of(const struct host *host, const struct plan *plan)
{
    return plan->kind == STATEMENT_TRAIN ? host->rows->guess(host->self, plan->select) : 0;
}

enum status explain_run(const struct host *host, const struct plan *plan, struct arena *arena,
                        const struct sink *sink, struct error *err)
{
    struct plan_history told = {.jobs = 0};
    struct job_history history;
    struct score_choice choice;
    struct plan_line *lines;
    size_t count;

    if (plan->kind != STATEMENT_TRAIN) { /* nothing is explained that would not be written */
        TRY(score_check_targets(host, plan, err));
        TRY(unfamiliar_count_explain(host, plan, arena, err));
    } else {
        TRY(sample_notices(host, plan, arena, err));
        TRY(job_history_begin(plan, &history, err));
        job_history_read(host->session.state, &history);
        job_history_tell(&history, plan, &told);
    }
    TRY(plan_explain(plan, rows_of(host, plan), &told, arena, &lines, &count, err));
    for (size_t i = 0; i < count; i++)
        TRY(sink_row(sink, (struct cell[]){cell_text(lines[i].item), cell_text(lines[i].detail)}, 2,
                     err));
    if (plan->kind != STATEMENT_TRAIN) {
        score_choose(host, plan, &choice);
        TRY(sink_row(sink, (struct cell[]){cell_string("scored by"), cell_string(choice.why)}, 2,
                     err));
    }
    if (plan->kind == STATEMENT_TRAIN) /* among the lines */
        return STATUS_OK;
    TRY(notice_rows(plan->notices, 2, 1, sink, err));
    for (size_t i = 0; i < plan->other_count; i++)
        TRY(notice_rows(plan->others[i]->notices, 2, 1, sink, err));
    return STATUS_OK;
}

static const char *attribute_type_name(enum attribute_type type)
{
    switch (type) {
    case ATTRIBUTE_INTEGER:
        return "integer";
    case ATTRIBUTE_REAL:
        return "real";
    case ATTRIBUTE_BOOLEAN:
        return "boolean";
    case ATTRIBUTE_WORD:
        return "word";
    case ATTRIBUTE_TEXT:
        return "text";
    case ATTRIBUTE_LABEL:
        return "label";
    case ATTRIBUTE_MEMORY:
        return "memory";
    case ATTRIBUTE_INTEGERS:
        return "integers";
    case ATTRIBUTE_REALS:
        return "reals";
    case ATTRIBUTE_WEIGHTS:
        return "weights";
    default:
        return "words";
    }
}

enum status show_attributes_run(const struct plan *plan, const struct sink *sink, struct error *err)
{
    const struct estimator *estimator = NULL;
    const struct attribute *attribute;

    if (plan->definition)
        TRY(definition_arguments_run(plan->definition, sink, err));
    if (plan->attributes_for.size > 0) {
        struct name name = {.text = plan->attributes_for, .position = -1};
        TRY(estimator_find(&name, &estimator, err));
    }
    for (size_t i = 0; (attribute = attribute_number(i)); i++) {
        const struct attribute own = estimator_attribute(estimator, attribute);

        if (estimator && !estimator_uses(estimator, attribute))
            continue;
        TRY(sink_row(
            sink,
            (struct cell[]){cell_string(attribute->name),
                            cell_string(attribute_type_name(attribute->type)),
                            own.default_value ? cell_string(own.default_value) : cell_null(),
                            cell_string(own.help)},
            4, err));
    }
    return STATUS_OK;
}
