#include "scoring/row_label.h"

#include <math.h>

#include "base/sums/hash.h"
#include "inputs/cells/cells.h"

/* A row's label, in the form that its type is compared in. */
struct given {
    struct slice word;
    double number;
    bool is_integer; /* beyond 2^53 the number is not exact */
    int64_t integer;
};

static int compare_label(const struct labels *labels, const struct cell *value,
                         const struct given *given)
{
    double number = labels->type == LABEL_INTEGER ? (double)value->integer : value->real;

    if (labels->type == LABEL_TEXT)
        return slice_compare(given->word, value->text);
    if (labels->type == LABEL_INTEGER && given->is_integer)
        return (given->integer > value->integer) - (given->integer < value->integer);
    return (given->number > number) - (given->number < number);
}

/* The class of a label cell: labels are ascending. -1: a class of its own. */
static int64_t find_class(const struct labels *labels, const struct given *given)
{
    uint32_t low = 0, high = labels->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_label(labels, &labels->values[middle], given);

        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

static enum status label_is_null(const struct labels *labels, struct slice column, uint64_t row,
                                 struct error *err)
{
    fail(err, STATUS_INVALID, "row %llu: label column \"%.*s\" is NULL", (unsigned long long)row,
         SLICE_FORMAT(column));
    return error_hint(err, "Leave such rows out: WHERE \"%.*s\" %s.", SLICE_FORMAT(column),
                      labels->type == LABEL_TEXT ? "<> ''" : "IS NOT NULL");
}

enum status row_label_read(const struct model *model, struct slice column, uint64_t row,
                           const struct cell *cell, struct row_label *label, struct error *err)
{
    const struct labels *labels = &model->labels;
    struct given given = {0};
    char buffer[TRANSFORM_WORD_BUFFER];
    bool is_null = false;

    if (!task_has_label(model->task))
        return STATUS_OK;
    given.is_integer = cell->type == CELL_INTEGER;
    given.integer = cell->integer;
    if (model->task == TASK_CLASSIFICATION && labels->type == LABEL_TEXT)
        TRY(cell_to_word(cell, column, buffer, &given.word, &is_null, err));
    else
        TRY(cell_to_number(cell, model->labels.reading, column, &given.number, &is_null, err));
    if (!is_null && model->task == TASK_CLASSIFICATION) {
        label->class = find_class(labels, &given);
        /* Blank is NULL, as where rows are trained on; models of before may have it as a class. */
        is_null =
            label->class < 0 && labels->type == LABEL_TEXT && slice_trim(given.word).size == 0;
    }
    if (is_null)
        return label_is_null(labels, column, row, err);
    if (model->task == TASK_CLASSIFICATION)
        return STATUS_OK;
    *label = (struct row_label){.value = given.number, .upper = given.number};
    return STATUS_OK;
}

enum status row_group_read(struct slice column, uint64_t row, const struct cell *cell,
                           struct row_label *label, struct error *err)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice word;
    bool is_null;

    TRY(cell_to_word(cell, column, buffer, &word, &is_null, err));
    if (is_null) {
        fail(err, STATUS_INVALID, "row %llu: group column \"%.*s\" is NULL",
             (unsigned long long)row, SLICE_FORMAT(column));
        return error_hint(err, "Leave such rows out: WHERE \"%.*s\" IS NOT NULL.",
                          SLICE_FORMAT(column));
    }
    label->group = bytes_hash(word.data, word.size, 0);
    return STATUS_OK;
}

enum status row_upper_read(const struct model *model, struct slice column, uint64_t row,
                           const struct cell *cell, struct row_label *label, struct error *err)
{
    bool is_null;

    TRY(cell_to_number(cell, model->labels.reading, column, &label->upper, &is_null, err));
    if (is_null) {
        label->upper = (double)NAN;
        return STATUS_OK;
    }
    if (label->upper >= 0 && isfinite(label->upper))
        return STATUS_OK;
    fail(err, STATUS_INVALID, "row %llu: upper bound \"%.*s\" is %g", (unsigned long long)row,
         SLICE_FORMAT(column), label->upper);
    return error_hint(err, "It is a time from 0 on, or NULL where it is not known.");
}
