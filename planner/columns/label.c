#include "planner/columns/label.h"

#include <string.h>

#include "planner/columns/column_dates.h"
#include "planner/columns/labels.h"
#include "planner/notices/shape_notices.h"
#include "planner/notices/spelling_notices.h"
#include "planner/plan/column_kind.h"
#include "planner/plan/planning.h"
#include "planner/plan/query.h"

enum label_type label_type_of_class(const struct query_column *column)
{
    static const char *const integer[] = {"INT", "BOOL", NULL};
    static const char *const real[] = {"REAL", "NUM", "FLOA", "DOUB", "DEC", NULL};

    if (column->texts > column->blank_texts)
        return LABEL_TEXT; /* '1' comes back as '1' */
    if (column->reals > 0)
        return LABEL_REAL;
    if (column->integers > 0 || type_declares(column->declared_type, integer))
        return LABEL_INTEGER;
    return type_declares(column->declared_type, real) ? LABEL_REAL : LABEL_TEXT;
}

/* One says Classifier where the other says Regressor. */
static bool is_alike(const struct estimator *one, const struct estimator *other)
{
    size_t same = 0;

    while (one->name[same] && one->name[same] == other->name[same])
        same++;
    return !other->group || !other->name[same] || strcmp(other->name + same, "Regressor") == 0 ||
           strcmp(other->name + same, "regressor") == 0;
}

/* The classifier that is the same model otherwise. */
static const char *classifier_beside(const struct estimator *regressor)
{
    for (size_t i = 0; i < estimator_count; i++)
        if (estimators[i].task == TASK_CLASSIFICATION && estimators[i].kind == regressor->kind &&
            estimators[i].fixed == regressor->fixed && is_alike(&estimators[i], regressor))
            return estimators[i].name;
    return "LinearClassifier";
}

static enum status refuse_words(const struct planning *planning, const struct query_column *column)
{
    const struct plan *plan = planning->plan;

    fail_at(planning->err, STATUS_INVALID, planning->statement->label.position,
            "label column \"%.*s\" holds text that is not a number, in %u of %u %s",
            SLICE_FORMAT(column->name), column_words(column), plan->query.sample_rows,
            query_rows_word(&plan->query));
    if (column->word_size > 0 && 2 * (uint64_t)column_words(column) <= column->texts)
        return error_hint(planning->err, "Most are numbers: WHERE %.*s <> '%.*s' leaves out %u.",
                          SLICE_FORMAT(column->name), (int)column->word_size, column->word,
                          (unsigned)column->word_cells);
    if (column_is_date(column) && column->written_dates > 0)
        return error_hint(planning->err,
                          "A regressor learns numbers: make dates of the form 2024-01-31 in the "
                          "SELECT, and of these the days since a fixed one.");
    if (column_is_date(column))
        return error_hint(planning->err,
                          "A regressor learns numbers: julianday(%.*s) counts days, "
                          "strftime('%%s', %.*s) seconds.",
                          SLICE_FORMAT(column->name), SLICE_FORMAT(column->name));
    /* The list of a plan that fails is shown to nobody. Dates would be no numbers, either. */
    if (column->shaped.shape != SHAPE_DATE && note_shape(plan, column, false))
        return error_hint(planning->err, "%s", plan->notices->items[plan->notices->count - 1].hint);
    return error_hint(planning->err, "A regressor learns numbers; for words there is %s.",
                      classifier_beside(plan->estimator));
}

static enum status refuse_missing(const struct planning *planning)
{
    const char *name = planning->plan->estimator->name;

    fail_at(planning->err, STATUS_INVALID, planning->statement->model.position,
            "LABEL is missing: %s learns to predict a column", name);
    return error_hint(planning->err,
                      "Write LABEL and the column's name before INTO, as in LABEL class.");
}

enum status label_refuse(const struct planning *planning, struct slice estimator)
{
    const struct name *label = &planning->statement->label;

    if (label->text.size == 0)
        return STATUS_OK;
    if (planning->plan->model.heads)
        fail_at(planning->err, STATUS_INVALID, label->position,
                "LABEL has no use with model %.*s, whose labels are all measured",
                SLICE_FORMAT(planning->plan->model_name));
    else
        fail_at(planning->err, STATUS_INVALID, label->position,
                "LABEL has no use with %.*s, which learns without one", SLICE_FORMAT(estimator));
    return error_hint(planning->err, "Leave out LABEL %.*s.", SLICE_FORMAT(label->text));
}

enum status label_plan(struct planning *planning)
{
    const struct name *label = &planning->statement->label;
    struct plan *plan = planning->plan;
    const struct query_column *column;

    if (labels_are_several(planning))
        return labels_plan(planning);
    if (!task_has_label(plan->estimator->task)) {
        plan->label_type = LABEL_NONE;
        return label_refuse(planning, slice_of(plan->estimator->name));
    }
    if (label->text.size == 0)
        return refuse_missing(planning);
    TRY(query_resolve(&plan->query, "label ", label->text, label->position, &plan->label_column,
                      planning->err));
    column = &plan->query.columns[plan->label_column];
    plan->label = column->name;
    if (column->vectors > 0) {
        query_refuse_binary(planning, "label ", column, label->position);
        return error_hint(planning->err, "Select the element to learn, as in %s[1] AS %s.",
                          SQL_NAME(column->name), SQL_NAME_WITH(column->name, "_1"));
    }
    if (column->blobs > 0) {
        query_refuse_binary(planning, "label ", column, label->position);
        return error_hint(planning->err, "Cast it in the SELECT, as in CAST(%s AS TEXT).",
                          SQL_NAME(column->name));
    }
    if (plan->estimator->task == TASK_CLASSIFICATION) {
        plan->label_type = label_type_of_class(column);
        plan->label_declared = column->sql_type;
        return STATUS_OK;
    }
    if (column_words(column) > 0 && !column_is_numeric(column))
        return refuse_words(planning, column);
    plan->label_reading = column_reading(column);
    plan->label_type = LABEL_REAL; /* a regressor answers between the whole numbers, too */
    return STATUS_OK;
}

void label_unit_notice(const struct plan *plan)
{
    const struct query_column *column;
    bool is_days;

    if (plan->estimator->task != TASK_REGRESSION || plan->label_column < 0)
        return;
    column = &plan->query.columns[plan->label_column];
    if (column->texts > column->blank_texts)
        note_written_numbers(plan, column, plan->label_reading, true);
    is_days = slice_is(column->sql_type, "pg_catalog.date");
    if (!is_days && !slice_is(column->sql_type, "pg_catalog.timestamptz") &&
        !slice_is(column->sql_type, "pg_catalog.\"timestamp\""))
        return;
    notice_add(plan->notices, NOTICE_LABEL,
               "label column \"%.*s\" is learned, and predicted, as %s since 1970-01-01",
               SLICE_FORMAT(column->name), is_days ? "days" : "seconds");
    notice_hint(plan->notices, is_days ? "date '1970-01-01' + round(prediction)::int is the date."
                                       : "to_timestamp(prediction) is the time.");
}

void label_notice(const struct plan *plan)
{
    const struct query_column *column;

    if (plan->estimator->task != TASK_CLASSIFICATION || plan->label_column < 0)
        return;
    column = &plan->query.columns[plan->label_column];
    if (column->integers == 0 || column->integers + column->nulls < plan->query.sample_rows ||
        column->distinct_values <= NUMBER_CLASSES_MAX)
        return;
    notice_add(
        plan->notices, NOTICE_LABEL,
        "label column \"%.*s\" has %llu different numbers in %u %s, and each is a class of its "
        "own",
        SLICE_FORMAT(column->name), (unsigned long long)column->distinct_values,
        plan->query.sample_rows, query_rows_word(&plan->query));
    notice_hint(plan->notices, "Did you mean to predict the number? LinearRegressor and "
                               "DNNRegressor do.");
}
