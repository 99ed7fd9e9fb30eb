#include "planner/notices/input_notices.h"

#include "inputs/cells/cell_text.h"
#include "planner/notices/shape_notices.h"
#include "planner/notices/spelling_notices.h"
#include "planner/plan/query.h"

#define SPELLINGS_NAMED 4

/* "skipped: it is ...", or "taken, as there is no other: it is ...", and what to write instead. */
static void note_left_out(const struct plan *plan, const struct plan_left_out *left_out)
{
    static const struct {
        enum notice_kind kind;
        const char *what;
    } reasons[] = {
        [COLUMN_KEY] = {NOTICE_KEY, "its whole numbers are all different, like a key"},
        [COLUMN_KEY_TEXT] = {NOTICE_KEY, "nearly all of its texts are different, like a key"},
        [COLUMN_FREE_TEXT] = {NOTICE_FREE_TEXT, "it is free text, and most of it is different"},
    };
    const struct slice name = left_out->name;
    const bool is_taken = plan->takes_left_out;
    const bool is_sampled = plan->explain_only && plan->query.sample_rows >= QUERY_SAMPLE_ROWS;

    notice_add(plan->notices, reasons[left_out->why].kind, "column \"%.*s\" is %s: %s%s",
               SLICE_FORMAT(name), is_taken ? "taken, as there is no other" : "skipped",
               reasons[left_out->why].what,
               is_sampled ? ", in the sample; all rows decide when it is trained" : "");
    if (left_out->why == COLUMN_FREE_TEXT && kind_learns_from_words(plan->estimator->kind))
        notice_hint(plan->notices, "COLUMN %sTEXT(%s) learns from its words.",
                    is_taken ? "" : "*, ", SQL_NAME(name));
    else if (is_taken)
        notice_hint(plan->notices,
                    "It carries no information about new rows: select other columns.");
    else
        notice_hint(plan->notices, "To use it, name it in COLUMN, with all other columns to use.");
}

/* The one that is there most often; of equal ones the first. -1: all are named. */
static int next_spelling(const struct query_column *column, const bool *is_named)
{
    int most = -1;

    for (int i = 0; i < MISSING_SPELLINGS; i++)
        if (!is_named[i] && column->missing[i] > 0 &&
            (most < 0 || column->missing[i] > column->missing[most]))
            most = i;
    return most;
}

/* column "a": 29 of 500 values are read as NULL: 'n/a' 17, '?' 12 */
static enum status note_missing(const struct plan *plan, const struct query_column *column,
                                struct error *err)
{
    bool is_named[MISSING_SPELLINGS] = {false};
    struct text list;
    bool failed;
    int spelling;

    text_init(&list, TEXT_MAXIMUM);
    for (int i = 0; i < SPELLINGS_NAMED && (spelling = next_spelling(column, is_named)) >= 0; i++) {
        is_named[spelling] = true;
        text_printf(&list, "%s'%s' %u", i > 0 ? ", " : "", missing_spellings[spelling],
                    column->missing[spelling]);
    }
    if (next_spelling(column, is_named) >= 0)
        text_append_string(&list, " and others");
    notice_add(plan->notices, NOTICE_MISSING, "column \"%.*s\": of %u %s %u %s read as NULL: %s",
               SLICE_FORMAT(column->name), plan->query.sample_rows, query_rows_word(&plan->query),
               column->missing_texts, column->missing_texts == 1 ? "is" : "are",
               text_string(&list));
    failed = list.failed;
    text_deinit(&list);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

static bool is_truth(const struct plan *plan, const struct plan_input *input)
{
    return input->spec.type == INPUT_NUMERIC && input->spec.reading == READING_BOOLEAN &&
           (size_t)input->column < plan->query.count;
}

/* At the first of them: one notice of all. */
static enum status note_truths(const struct plan *plan, size_t first, struct error *err)
{
    const struct slice name = plan->query.columns[plan->inputs[first].column].name;
    size_t count = 0, named = 0;
    struct text list;
    bool failed;

    for (size_t i = 0; i < plan->input_count; i++) {
        count += is_truth(plan, &plan->inputs[i]);
        if (i < first && count > 0)
            return STATUS_OK;
    }
    text_init(&list, NOTICE_BYTES_MAX);
    for (size_t i = first; i < plan->input_count && list.size < NOTICE_BYTES_MAX / 2; i++) {
        if (!is_truth(plan, &plan->inputs[i]))
            continue;
        text_append_separator(&list, named++, count);
        text_printf(&list, "\"%.*s\"",
                    SLICE_FORMAT(plan->query.columns[plan->inputs[i].column].name));
    }
    if (named < count)
        text_printf(&list, " and %zu more", count - named);
    notice_add(plan->notices, NOTICE_READING,
               "column%s %s %s read as 1 for yes, true, t, y and on, and 0 for their opposites",
               count == 1 ? "" : "s", text_string(&list), count == 1 ? "is" : "are");
    failed = list.failed;
    text_deinit(&list);
    notice_hint(plan->notices, "COLUMN VOCABULARY(%s) reads %s as words.", SQL_NAME(name),
                count == 1 ? "it" : "that one");
    return failed ? fail_no_memory(err) : STATUS_OK;
}

/* Was its shape told of already, as that of a column that is taken though it looks like a key? */
static bool is_told(const struct plan *plan, const struct plan_input *input)
{
    if (!plan->takes_left_out || plan->query.columns[input->column].shaped.shape == SHAPE_NONE)
        return false;
    for (size_t i = 0; i < plan->left_out_count; i++)
        if (plan->left_out[i].column == input->column)
            return true;
    return false;
}

enum status input_notices(const struct plan *plan, struct error *err)
{
    for (size_t i = 0; i < plan->left_out_count; i++)
        if (plan->takes_left_out
                ? !note_shape(plan, &plan->query.columns[plan->left_out[i].column], false)
                : !note_nearly_read(plan, &plan->query.columns[plan->left_out[i].column], true))
            note_left_out(plan, &plan->left_out[i]);
    for (size_t i = 0; i < plan->input_count; i++) {
        const struct plan_input *input = &plan->inputs[i];
        const struct query_column *column = &plan->query.columns[input->column];

        if ((size_t)input->column >= plan->query.count)
            continue;
        if (input->spec.type == INPUT_CATEGORY && !input->is_chosen &&
            input->spec.rule == RULE_WORDS && !is_told(plan, input))
            note_nearly_read(plan, column, false);
        if (input->spec.type != INPUT_NUMERIC)
            continue;
        if (is_truth(plan, input))
            TRY(note_truths(plan, i, err));
        else
            note_written_numbers(plan, column, input->spec.reading, false);
        if (column->missing_texts > 0)
            TRY(note_missing(plan, column, err));
    }
    for (size_t i = 0; i < plan->query.vectors.count; i++) {
        const struct vector *vector = &plan->query.vectors.items[i];

        if (vector->parts && plan->query.columns[vector->column].missing_texts > 0)
            TRY(note_missing(plan, &plan->query.columns[vector->column], err));
    }
    return STATUS_OK;
}
