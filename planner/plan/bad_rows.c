/*
 * train.bad_rows, predict.bad_rows, evaluate.bad_rows: an error, left out, or put
 * aside into a table beside the one that the statement writes.
 */
#include "planner/plan/bad_rows.h"

#include "planner/plan/column_kind.h"
#include "planner/plan/planning.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"
#include "planner/plan/targets.h"

/* The table that the statement writes; size 0: none. */
static struct slice written_table(const struct plan *plan)
{
    if (plan->kind == STATEMENT_TRAIN)
        return plan->into_name;
    return plan->has_target ? plan->target_table : (struct slice){NULL, 0};
}

static enum status name_quarantine(struct planning *planning, struct slice table)
{
    struct text name;
    enum status status;

    text_init(&name, TEXT_MAXIMUM);
    text_append(&name, table);
    text_append_string(&name, QUARANTINE_SUFFIX);
    status = name.failed
                 ? fail_no_memory(planning->err)
                 : slice_keep(planning, text_slice(&name), &planning->plan->quarantine_table);
    text_deinit(&name);
    return status;
}

static enum status check_length(const struct planning *planning, const struct setting *setting)
{
    const size_t size = planning->plan->quarantine_table.size;
    const size_t most = target_name_max(planning->catalog->dialect);

    if (size <= most)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
            "the table for bad rows would have a name of %zu bytes, where at most %zu are possible",
            size, most);
    return error_hint(planning->err,
                      "The name is that of the written table and \"" QUARANTINE_SUFFIX
                      "\": choose one of at most %zu bytes.",
                      most - (sizeof QUARANTINE_SUFFIX - 1));
}

static enum status quarantine_plan(struct planning *planning, const struct setting *setting)
{
    struct plan *plan = planning->plan;
    const struct slice table = written_table(plan);
    const bool is_predict = plan->kind == STATEMENT_PREDICT;

    if (table.size == 0) {
        fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
                "bad rows can be put aside only where %s writes a table",
                is_predict ? "PREDICT" : "EVALUATE");
        return error_hint(
            planning->err, "Name one: %s; bad rows then go into table" QUARANTINE_SUFFIX ".",
            is_predict ? "TO PREDICT table.column WITH ..." : "TO EVALUATE ... INTO table");
    }
    TRY(name_quarantine(planning, table));
    TRY(check_length(planning, setting));
    if (plan->kind != STATEMENT_TRAIN &&
        slice_equal_fold(plan->quarantine_table, plan->model_name) &&
        slice_equal_fold(plan->target_schema, plan->model_schema))
        return fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
                       "the table for bad rows, \"%.*s\", is the model itself",
                       SLICE_FORMAT(plan->quarantine_table));
    return STATUS_OK;
}

enum status bad_rows_plan(struct planning *planning, const char *attribute)
{
    const struct setting *setting = settings_find(planning, attribute);
    struct plan *plan = planning->plan;

    if (!setting || slice_is_fold(setting->value.text, "error"))
        return STATUS_OK;
    plan->bad_rows =
        slice_is_fold(setting->value.text, "skip") ? BAD_ROWS_SKIP : BAD_ROWS_QUARANTINE;
    return plan->bad_rows == BAD_ROWS_QUARANTINE ? quarantine_plan(planning, setting) : STATUS_OK;
}

static void ignore_what_is_no_date(struct query_column *column)
{
    const uint32_t texts = column->date_texts + column->timestamp_texts + column->written_dates;

    column->texts = texts + column->blank_texts + column->missing_texts;
    column->numeric_texts = column->code_texts = 0;
    column->separated_texts = column->boolean_texts = column->written_texts = 0;
    column->blobs = 0;
    if (texts == column->dates) /* else numbers are dates, too: PostgreSQL's */
        column->integers = column->reals = 0;
}

static bool is_mostly_dates(const struct query_column *column)
{
    const uint64_t cells = (uint64_t)column->integers + column->reals + column->texts -
                           column->blank_texts - column->missing_texts + column->blobs;

    return 2 * (uint64_t)column->dates > cells;
}

/* Values of the sample that are of another kind than most of the column are bad, and do not count
 * for the column's kind. */
static void ignore_minority(struct query_column *column)
{
    const uint32_t numbers = column->integers + column->reals + column->numeric_texts +
                             column->separated_texts + column->written_texts;

    if (is_mostly_dates(column)) {
        ignore_what_is_no_date(column);
    } else if (numbers > column_words(column) + column->blobs) {
        column->texts -= column_words(column);
        column->code_texts = column->boolean_texts = 0;
        column->date_texts = column->timestamp_texts = 0;
        column->blobs = 0;
    } else if (column->texts > column->blobs) {
        column->blobs = 0;
    }
}

static void ignore_texts(struct query_column *label)
{
    label->texts = label->numeric_texts = label->blank_texts = label->blobs = 0;
    label->code_texts = label->separated_texts = label->missing_texts = label->boolean_texts = 0;
    label->date_texts = label->timestamp_texts = label->written_texts = 0;
    label->numbers = (struct number_counts){0};
}

/* A label's kind is that of all its rows: '1' is not 1, and 1.5 is no class. */
static void ignore_minority_of_label(struct query_column *label)
{
    if (label->integers + label->reals > label->texts + label->blobs)
        ignore_texts(label);
    if (label->integers > label->reals)
        label->reals = 0;
}

static void ignore_bad_sample(const struct planning *planning)
{
    struct query *query = &planning->plan->query;
    const int label = query_find(query, planning->statement->label.text);

    for (size_t i = 0; i < query->count; i++)
        ignore_minority(&query->columns[i]);
    if (label >= 0)
        ignore_minority_of_label(&query->columns[label]);
}

enum status bad_rows_check(struct planning *planning, const char *attribute)
{
    const struct setting *setting = settings_find(planning, attribute);
    const struct plan *plan = planning->plan;

    if (plan->bad_rows == BAD_ROWS_ERROR)
        return STATUS_OK;
    if (plan->kind == STATEMENT_TRAIN)
        ignore_bad_sample(planning);
    if (plan->kind == STATEMENT_EVALUATE && !plan->scoring.wait &&
        plan->bad_rows == BAD_ROWS_QUARANTINE) {
        fail_at(planning->err, STATUS_UNSUPPORTED, setting->name.position,
                "rows that an evaluation puts aside stay with the session, which has to wait");
        return error_hint(planning->err, "Leave out job.wait, or %s = 'skip'.", attribute);
    }
    if (plan->bad_rows != BAD_ROWS_QUARANTINE)
        return STATUS_OK;
    for (size_t i = 0; i < plan->query.count; i++)
        if (slice_is_fold(plan->query.columns[i].name, QUARANTINE_REASON))
            return fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
                           "the query already has a column \"" QUARANTINE_REASON "\"");
    return query_check_distinct(planning);
}
