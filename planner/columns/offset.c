#include "planner/columns/offset.h"

#include "planner/columns/old_model.h"
#include "planner/columns/roles.h"
#include "planner/plan/column_kind.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"

static const struct offset_facts {
    const char *attribute;
    const char *called; /* EXPLAIN's item */
    const char *column; /* in messages, before the column's name */
    const char *what;   /* in a notice: "column "w" is where each score begins" */
} facts[OFFSETS] = {
    [OFFSET_ADDED] = {"train.offset", "offset", "offset ", "is added to each row's score"},
    [OFFSET_MARGIN] = {"train.base_margin", "base margin", "base_margin ",
                       "is what each row's score begins with"},
    [OFFSET_EXPOSURE] = {"train.exposure", "exposure", "exposure ",
                         "is each row's exposure, whose logarithm is added to its score"},
};

const char *offset_called(enum offset offset)
{
    return facts[offset].called;
}

/* The one that the statement names; OFFSET_NONE: none. */
static enum status find_setting(const struct planning *planning, enum offset *offset,
                                const struct setting **setting)
{
    *offset = OFFSET_NONE;
    *setting = NULL;
    for (unsigned i = OFFSET_ADDED; i < OFFSETS; i++) {
        const struct setting *other = settings_find(planning, facts[i].attribute);

        if (other && *setting) {
            fail_at(planning->err, STATUS_INVALID, other->name.position,
                    "%s and %s exclude each other", facts[*offset].attribute, facts[i].attribute);
            return error_hint(planning->err, "Each row has one offset: add them up in the SELECT.");
        }
        if (other) {
            *offset = (enum offset)i;
            *setting = other;
        }
    }
    return STATUS_OK;
}

static enum status refuse_old(const struct planning *planning, enum offset old,
                              const struct setting *setting, const struct model_input *input)
{
    const struct plan *plan = planning->plan;

    if (!input)
        fail_at(planning->err, STATUS_INVALID, setting->name.position,
                "model \"%.*s\" has no offset, and learning goes on as it began",
                SLICE_FORMAT(plan->model_name));
    else
        fail_at(planning->err, STATUS_INVALID, setting->name.position,
                "model \"%.*s\" was trained with %s = '%.*s', and learning goes on with that",
                SLICE_FORMAT(plan->model_name), facts[old].attribute, SLICE_FORMAT(input->name));
    return error_hint(planning->err, "Leave %.*s out, or USING.", SLICE_FORMAT(setting->name.text));
}

/* USING: the old model's. */
static enum status take_old(struct planning *planning, enum offset named,
                            const struct setting *setting)
{
    struct plan *plan = planning->plan;
    const struct model_input *input = NULL;

    for (size_t i = 0; i < plan->model.input_count; i++)
        if (plan->model.inputs[i].offset)
            input = &plan->model.inputs[i];
    if (setting &&
        (!input || input->offset != named || !slice_equal_fold(setting->value.text, input->name)))
        return refuse_old(planning, input ? input->offset : named, setting, input);
    if (!input)
        return STATUS_OK;
    plan->offset = input->offset;
    plan->offset_name = input->name;
    return STATUS_OK;
}

static bool has_log_link(const struct plan *plan)
{
    const struct kind *kind = plan->estimator->kind;

    if (kind->takes_exposure)
        return kind->takes_exposure(&plan->spec.params);
    return kind->link && kind->link(&plan->spec.params) == LABEL_LINK_EXP;
}

static enum status check_meaning(const struct planning *planning, const struct setting *setting)
{
    const struct plan *plan = planning->plan;
    const struct setting *score = settings_find(planning, "base_score");

    if (plan->offset == OFFSET_MARGIN && score) {
        fail_at(planning->err, STATUS_INVALID, score->name.position,
                "train.base_margin takes the place of base_score");
        return error_hint(planning->err, "train.offset is added to base_score.");
    }
    if (plan->offset != OFFSET_EXPOSURE || has_log_link(plan))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, setting ? setting->name.position : -1,
            "train.exposure needs a model whose prediction is the exponential of a sum");
    return error_hint(planning->err,
                      plan->estimator->kind->takes_exposure
                          ? "Name such an objective, as in objective = 'count:poisson', or "
                            "train.offset."
                          : "Name such a loss, as in model.loss = 'poisson', or train.offset.");
}

static enum status check_cells(const struct planning *planning, const struct query_column *column,
                               int position)
{
    const struct offset_facts *offset = &facts[planning->plan->offset];

    if (column->vectors > 0 || column->blobs > 0) {
        query_refuse_binary(planning, offset->column, column, position);
        return error_hint(planning->err, "Select another column.");
    }
    if (column_words(column) == 0 || column_is_numeric(column))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, position,
            "%scolumn \"%.*s\" holds text that is not a number, in %u of %u %s", offset->column,
            SLICE_FORMAT(column->name), column_words(column), planning->plan->query.sample_rows,
            query_rows_word(&planning->plan->query));
    return error_hint(planning->err, "Select a column of numbers.");
}

static enum status check_column(const struct planning *planning, int position)
{
    const struct plan *plan = planning->plan;
    const struct query_column *column = &plan->query.columns[plan->offset_column];
    const char *attribute = facts[plan->offset].attribute;

    if (plan->offset_column == plan->label_column) {
        fail_at(planning->err, STATUS_INVALID, position, "column \"%.*s\" is the label",
                SLICE_FORMAT(column->name));
        return error_hint(planning->err, "%s takes another column of the SELECT.", attribute);
    }
    if (roles_have_role(plan, plan->offset_column)) {
        fail_at(planning->err, STATUS_INVALID, position, "column \"%.*s\" is named twice in WITH",
                SLICE_FORMAT(column->name));
        return error_hint(planning->err, "%s takes another column of the SELECT.", attribute);
    }
    return check_cells(planning, column, position);
}

enum status offset_plan(struct planning *planning)
{
    struct plan *plan = planning->plan;
    const struct setting *setting;
    enum offset named;
    int position;

    plan->offset_column = -1;
    TRY(find_setting(planning, &named, &setting));
    if (old_model_is_named(planning))
        TRY(take_old(planning, named, setting));
    else if (setting) {
        plan->offset = named;
        plan->offset_name = setting->value.text;
    }
    if (!plan->offset)
        return STATUS_OK;
    position = setting ? setting->value.span.start : planning->statement->select_position;
    TRY(check_meaning(planning, setting));
    TRY(query_resolve(&plan->query, facts[plan->offset].column, plan->offset_name, position,
                      &plan->offset_column, planning->err));
    plan->offset_name = plan->query.columns[plan->offset_column].name;
    return check_column(planning, position);
}

struct plan_input offset_input(const struct plan *plan)
{
    const struct query_column *column = &plan->query.columns[plan->offset_column];

    return (struct plan_input){.spec.name = column->name,
                               .column = plan->offset_column,
                               .spec.type = INPUT_NUMERIC,
                               .spec.reading = column_reading(column),
                               .declared_type = column->declared_type,
                               .spec.offset = plan->offset,
                               .is_chosen = true};
}

enum status offset_refuse_choice(const struct planning *planning, int position)
{
    const struct plan *plan = planning->plan;

    fail_at(planning->err, STATUS_INVALID, position,
            "column \"%.*s\" is named by %s, and is not used as a feature",
            SLICE_FORMAT(plan->offset_name), facts[plan->offset].attribute);
    return error_hint(planning->err,
                      "To learn from it as well, select it once more by another name.");
}

void offset_notice(struct plan *plan)
{
    if (!plan->offset)
        return;
    notice_add(plan->notices, NOTICE_ROLE, "column \"%.*s\" %s, and is not used as a feature",
               SLICE_FORMAT(plan->offset_name), facts[plan->offset].what);
    notice_hint(plan->notices, "PREDICT and EVALUATE need it, too.");
}
