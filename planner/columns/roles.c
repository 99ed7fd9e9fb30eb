#include "planner/columns/roles.h"

#include "planner/columns/labels.h"
#include "planner/plan/column_kind.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"

static const struct role_facts {
    const char *attribute;
    const char *called; /* EXPLAIN's item */
    const char *column; /* in messages, before the column's name */
    const char *what;   /* its effect, in a notice: "column "w" weighs the rows" */
} facts[ROW_ROLES] = {
    [ROLE_SAMPLE_WEIGHT] = {"train.sample_weight", "sample weights", "weight ", "weighs the rows"},
    [ROLE_LABEL_UPPER] = {"train.label_upper_bound", "upper bounds", "upper bound ",
                          "bounds the label"},
    [ROLE_GROUP] = {"train.group", "groups", "group ", "groups the rows"},
};

const char *roles_called(enum row_role role)
{
    return facts[role].called;
}

bool roles_have(const struct plan *plan, int column)
{
    return (plan->offset && plan->offset_column == column) || roles_have_role(plan, column) ||
           labels_have(plan, column);
}

bool roles_have_role(const struct plan *plan, int column)
{
    for (size_t i = 0; i < plan->role_count; i++)
        if (plan->roles[i].column == column)
            return true;
    return false;
}

static enum status check_cells(const struct planning *planning, const struct role_facts *role,
                               bool is_number, const struct query_column *column, int position)
{
    if (column->vectors > 0 || column->blobs > 0) {
        query_refuse_binary(planning, role->column, column, position);
        return error_hint(planning->err, "Select another column.");
    }
    if (!is_number || column_words(column) == 0 || column_is_numeric(column))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, position,
            "%scolumn \"%.*s\" holds text that is not a number, in %u of %u %s", role->column,
            SLICE_FORMAT(column->name), column_words(column), planning->plan->query.sample_rows,
            query_rows_word(&planning->plan->query));
    return error_hint(planning->err, "Select a column of numbers.");
}

/* Groups lie together by keys, by which rows lie that are shuffled. */
static enum status check_order(const struct planning *planning, const struct role_facts *role,
                               const struct setting *setting)
{
    if (planning->plan->spec.shuffle)
        return STATUS_OK;
    fail_at(planning->err, STATUS_UNSUPPORTED, setting->name.position,
            "%s does not go together with train.shuffle = false", role->attribute);
    return error_hint(planning->err, "Groups need shuffled rows: the keys of the shuffle keep "
                                     "them together.");
}

static enum status plan_role(struct planning *planning, enum row_role number,
                             const struct setting *setting)
{
    const struct role_facts *role = &facts[number];
    struct plan *plan = planning->plan;
    const int position = setting->value.span.start;
    const struct query_column *column;
    int index;

    TRY(query_resolve(&plan->query, role->column, setting->value.text, position, &index,
                      planning->err));
    column = &plan->query.columns[index];
    if (index == plan->label_column || labels_have(plan, index)) {
        fail_at(planning->err, STATUS_INVALID, position, "column \"%.*s\" is the label",
                SLICE_FORMAT(column->name));
        return error_hint(planning->err, "%s takes another column of the SELECT.", role->attribute);
    }
    TRY(check_cells(planning, role, role_is_number(number), column, position));
    if (number == ROLE_GROUP)
        TRY(check_order(planning, role, setting));
    plan->roles[plan->role_count++] =
        (struct plan_role){number, column->name, index, column_reading(column)};
    return STATUS_OK;
}

enum status roles_plan(struct planning *planning)
{
    for (unsigned role = 0; role < ROW_ROLES; role++) {
        const struct setting *setting = settings_find(planning, facts[role].attribute);

        if (setting)
            TRY(plan_role(planning, (enum row_role)role, setting));
    }
    return STATUS_OK;
}

static bool is_input(const struct plan *plan, int column)
{
    for (size_t i = 0; i < plan->input_count; i++)
        if (plan->inputs[i].column == column)
            return true;
    return false;
}

void roles_notices(struct plan *plan)
{
    for (size_t i = 0; i < plan->role_count; i++) {
        const struct plan_role *role = &plan->roles[i];

        if (is_input(plan, role->column))
            continue;
        notice_add(plan->notices, NOTICE_ROLE, "column \"%.*s\" %s, and is not used as a feature",
                   SLICE_FORMAT(role->name), facts[role->role].what);
        notice_hint(plan->notices, "COLUMN *, %.*s learns from it as well.",
                    SLICE_FORMAT(role->name));
    }
}
