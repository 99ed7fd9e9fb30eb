#include "runtime/data/columns/column_statistics_finish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/bounds.h"
#include "inputs/encoders.h"
#include "inputs/weighted_terms.h"
#include "jobspec/jobspec_sections.h"
#include "runtime/data/columns/class_names.h"
#include "runtime/data/columns/class_weights.h"
#include "runtime/data/columns/column_notices.h"
#include "runtime/data/dataset/dataset_check.h"
#include "runtime/data/spool/column_counts.h"
#include "runtime/data/statistics/exact_measure.h"
#include "scoring/label_names.h"
#include "scoring/numbers/elementary.h"
#include "scoring/numbers/quantiles.h"

#define RARE_ROWS_LEAST 100 /* in fewer a word that is there once may be as good as any */
#define BUCKET_WORDS    10  /* words that share a hash bucket, about */

/* ---- do the counts fit ---- */

static enum status refuse_counts(const struct column_counts *column, struct error *err)
{
    return fail(err, STATUS_CORRUPT, "no rows have the statistics of column \"%.*s\"",
                SLICE_FORMAT(column->name));
}

/* Numbers that were infinite; all counts are modulo 2^64. */
static uint64_t infinite_in(const struct column_statistics *statistics,
                            const struct column_counts *column)
{
    if (column->content != COLUMN_NUMBERS)
        return column->infinite;
    return statistics->rows - column->nulls - statistics->moments[column->number].count;
}

static enum status check_counts(const struct column_statistics *statistics,
                                const struct column_counts *column, struct error *err)
{
    const uint64_t infinite = infinite_in(statistics, column);
    uint64_t left = statistics->rows;

    if (column->nulls > left || infinite > left - column->nulls)
        return refuse_counts(column, err);
    left -= column->nulls + infinite;
    if (column->content == COLUMN_NUMBERS || column->content == COLUMN_TEXTS)
        return STATUS_OK;
    if (column->words_most > 0 && left > UINT64_MAX / column->words_most)
        return refuse_counts(column, err);
    if (column->words_most > 0)
        left *= column->words_most;
    for (uint32_t i = 0; i < column->table.count; i++) {
        if (column->table.entries[i].count > left)
            return refuse_counts(column, err);
        left -= column->table.entries[i].count;
    }
    return left == 0 || column->words_most > 0 ? STATUS_OK : refuse_counts(column, err);
}

static void refuse_rows(const struct column_statistics *statistics, uint32_t number,
                        const char *what, uint64_t bad, struct error *err)
{
    fail(err, STATUS_INVALID, "%s \"%.*s\" is %s in %llu of %llu %s",
         column_is_called(statistics, number), SLICE_FORMAT(statistics->columns[number].name), what,
         (unsigned long long)bad, (unsigned long long)statistics->rows,
         statistics->rows == 1 ? "row" : "rows");
}

static enum status check_finite(const struct column_statistics *statistics, uint32_t number,
                                struct error *err)
{
    const uint64_t infinite = infinite_in(statistics, &statistics->columns[number]);

    if (infinite == 0)
        return STATUS_OK;
    refuse_rows(statistics, number, "infinite", infinite, err);
    return error_hint(err, "Leave such rows out of the SELECT, or replace the values.");
}

static enum status check_label(const struct column_statistics *statistics, struct error *err)
{
    const uint32_t label = (uint32_t)statistics->spec->input_count;

    if (statistics->columns[label].nulls && !kind_of(statistics->spec)->keeps_labels) {
        refuse_rows(statistics, label, "NULL", statistics->columns[label].nulls, err);
        return label_null_hint(statistics->spec,
                               statistics->columns[label].nulls == statistics->rows, err);
    }
    return check_finite(statistics, label, err);
}

static enum status check_columns(const struct column_statistics *statistics, struct error *err)
{
    if (statistics->rows == 0)
        return fail(err, STATUS_INVALID, "there are no rows to learn from");
    for (uint32_t i = 0; i < statistics->column_count; i++)
        TRY(check_counts(statistics, &statistics->columns[i], err));
    if (task_has_label(statistics->spec->task))
        TRY(check_label(statistics, err));
    for (uint32_t i = 0; i < statistics->spec->input_count; i++)
        TRY(check_finite(statistics, i, err));
    return STATUS_OK;
}

/* ---- inputs ---- */

static enum status take_moments(const struct column_statistics *statistics,
                                const struct column_counts *column, struct transform_input *input,
                                struct error *err)
{
    const bool standardize =
        statistics->spec->standardize && !kind_of(statistics->spec)->keeps_numbers;
    const bool takes_mean_off = standardize || kind_of(statistics->spec)->is_shift_free;
    double mean, scale;

    if (!exact_moments_measure(&statistics->moments[column->number], &mean, &scale))
        return refuse_counts(column, err);
    input->mean = takes_mean_off ? mean : 0;
    input->scale = standardize ? scale : 1;
    input->limit = TRANSFORM_DENSE_MAX;
    input->null_value = takes_mean_off ? 0 : transform_number(input, mean);
    return STATUS_OK;
}

/* An offset is no feature: it is counted as outputs are (offset_as_outputs), and where numbers are
 * standardised from its own mean, so that a model that begins at the mean of the labels is near.
 * With rests it is counted from 0: then coefficients are those of the offset as it is. */
static enum status take_offset(const struct column_statistics *statistics,
                               const struct column_counts *column, struct transform_input *input,
                               struct error *err)
{
    double mean, scale;

    if (!exact_moments_measure(&statistics->moments[column->number], &mean, &scale))
        return refuse_counts(column, err);
    input->scale = 1;
    input->limit = TRANSFORM_DENSE_MAX;
    if (!kind_of(statistics->spec)->keeps_numbers && !kind_of(statistics->spec)->has_rests)
        input->mean = input->spec.offset == OFFSET_EXPOSURE ? logarithm_double(mean) : mean;
    return STATUS_OK;
}

static enum status copy_words(const struct word_entry *entries, struct transform_input *input,
                              struct arena *arena, struct error *err)
{
    input->words = ARENA_NEW(arena, struct slice, input->word_count);
    input->word_counts = ARENA_NEW(arena, uint64_t, input->word_count);
    if (!input->words || !input->word_counts)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < input->word_count; i++) {
        input->words[i] = arena_copy(arena, entries[i].word);
        input->word_counts[i] = entries[i].count;
        if (!input->words[i].data)
            return fail_no_memory(err);
    }
    return STATUS_OK;
}

/* Counts the words that are kept: a word that one row of many has says nothing by itself. Entries
 * are sorted: such words come last. */
static uint32_t count_kept(const struct word_entry *entries, uint32_t count, uint64_t rows)
{
    while (rows >= RARE_ROWS_LEAST && count > 1 && entries[count - 1].count == 1)
        count--;
    return count;
}

/* A tenth as many as words are kept; fewer where only words of one row are left, several of which
 * share each. */
static uint32_t buckets_for(uint32_t count, uint32_t kept, uint32_t words_max)
{
    const uint32_t most = words_max / 10 ? words_max / 10 : 1;
    const uint32_t wanted = (count - kept + BUCKET_WORDS - 1) / BUCKET_WORDS;

    return count > words_max || wanted > most ? most : wanted;
}

/* Takes the mark of texts that were cut out of the entries; how many texts have it. */
static uint64_t take_cut_mark(struct word_entry *entries, uint32_t *count)
{
    for (uint32_t i = 0; i < *count; i++)
        if (is_cut_mark(entries[i].word)) {
            const uint64_t texts = entries[i].count;

            entries[i] = entries[--*count];
            return texts;
        }
    return 0;
}

static enum status take_words(const struct column_counts *column, uint64_t rows,
                              struct transform_input *input, struct arena *arena, struct error *err)
{
    const uint32_t words_max = input->spec.vocabulary_max;
    struct word_entry *entries;
    enum status status;
    uint32_t count, frequent;

    TRY(list_words(column, &entries, &count, err));
    if (input->spec.weight)
        input->cut_texts = take_cut_mark(entries, &count);
    frequent = frequent_words(entries, count, words_max);
    status = sort_words(entries, frequent, WORDS_BY_COUNT, err);
    input->word_count = count_kept(entries, count < words_max ? count : words_max, rows);
    input->hash_buckets = input->spec.weight ? 0 : buckets_for(count, input->word_count, words_max);
    input->texts = input->spec.weight == TEXT_WEIGHT_TFIDF ? rows : 0;
    if (status == STATUS_OK)
        status = copy_words(entries, input, arena, err);
    free(entries);
    return status;
}

/* ---- inputs of numbers that fall into buckets ---- */

static int compare_values(const void *a, const void *b)
{
    const double x = class_to_cell(LABEL_REAL, ((const struct word_entry *)a)->word).real;
    const double y = class_to_cell(LABEL_REAL, ((const struct word_entry *)b)->word).real;

    return (x > y) - (x < y);
}

/* Makes numbers of entries that ascend; the caller frees them. NULL: no memory. */
static struct counted_number *counted_numbers(const struct word_entry *entries, uint32_t count)
{
    struct counted_number *numbers = malloc((count + 1ull) * sizeof *numbers);

    for (uint32_t i = 0; numbers && i < count; i++)
        numbers[i] = (struct counted_number){class_to_cell(LABEL_REAL, entries[i].word).real,
                                             entries[i].count};
    return numbers;
}

static enum status take_quantiles(const struct column_counts *column, uint32_t buckets,
                                  struct transform_input *input, struct arena *arena,
                                  struct error *err)
{
    double *bounds = ARENA_NEW(arena, double, buckets);
    struct counted_number *numbers;
    struct word_entry *entries;
    uint32_t count;

    if (!bounds)
        return fail_no_memory(err);
    TRY(list_words(column, &entries, &count, err));
    qsort(entries, count, sizeof *entries, compare_values);
    numbers = counted_numbers(entries, count);
    if (numbers)
        input->spec.bound_count = quantile_bounds(numbers, count, buckets, bounds);
    input->spec.bounds = bounds;
    free(entries);
    free(numbers);
    return numbers ? STATUS_OK : fail_no_memory(err);
}

static enum status take_buckets(const struct column_counts *column, struct transform_input *input,
                                struct arena *arena, struct error *err)
{
    if (input->spec.bound_count == 0)
        TRY(take_quantiles(column, input->spec.vocabulary_max, input, arena, err));
    input->word_count = input->spec.bound_count + 1;
    input->words = ARENA_NEW(arena, struct slice, input->word_count);
    if (!input->words)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < input->word_count; i++)
        TRY(transform_bucket_name(input->spec.bounds, input->spec.bound_count, i, arena,
                                  &input->words[i], err));
    return STATUS_OK;
}

/* A forecast has totals of all words, and each class of a label is learned. */
static bool keeps_rare_words(const struct column_statistics *statistics,
                             const struct transform_input *input)
{
    return kind_of(statistics->spec)->learns_series || input->spec.label;
}

/* Gives the input what training learns from its column. */
static enum status learn_input(const struct column_statistics *statistics,
                               const struct column_counts *column, struct transform_input *input,
                               struct arena *arena, struct error *err)
{
    input->has_nulls =
        (column->nulls > 0 && input->spec.type != INPUT_TEXT) || /* it has no words */
        input->spec.label;                                       /* rows are scored without it */
    switch (encoder_of(&input->spec)->counts) {
    case COUNTS_MOMENTS:
        return input->spec.offset ? take_offset(statistics, column, input, err)
                                  : take_moments(statistics, column, input, err);
    case COUNTS_VALUES:
        return take_buckets(column, input, arena, err);
    case COUNTS_WORDS:
        return take_words(column, keeps_rare_words(statistics, input) ? 0 : statistics->rows, input,
                          arena, err);
    case COUNTS_NOTHING:
        break;
    }
    input->hash_buckets = input->spec.vocabulary_max;
    return STATUS_OK;
}

static enum status fill_transform(const struct column_statistics *statistics,
                                  struct transform *transform, struct arena *arena,
                                  struct error *err)
{
    const struct jobspec *spec = statistics->spec;

    transform->keeps_numbers = kind_of(spec)->keeps_numbers;
    transform->has_rests = kind_of(spec)->has_rests;
    transform->input_count = (uint32_t)spec->input_count;
    transform->inputs = ARENA_NEW(arena, struct transform_input, spec->input_count);
    if (!transform->inputs)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < transform->input_count; i++) {
        struct transform_input *input = &transform->inputs[i];

        TRY(input_spec_copy(&spec->inputs[i], arena, &input->spec, err));
        TRY(learn_input(statistics, &statistics->columns[i], input, arena, err));
    }
    return transform_finish(transform, arena, err);
}

/* One of several labels has no class that the old model lacks. */
static enum status check_label_words(const struct column_counts *column,
                                     const struct transform_input *old, struct error *err)
{
    const struct word_entry *new =
        NULL; /* the least by its bytes, whatever the order of the rows */
    struct word_entry *entries;
    enum status status;
    uint32_t count;

    TRY(list_words(column, &entries, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = 0;

        while (word < old->word_count && !slice_equal(old->words[word], entries[i].word))
            word++;
        if (word == old->word_count && (!new || slice_compare(entries[i].word, new->word) < 0))
            new = &entries[i];
    }
    status = STATUS_OK;
    if (new) {
        fail(err, STATUS_INVALID,
             "label column \"%.*s\" has \"%.*s\", a class that the old model does not know",
             SLICE_FORMAT(old->spec.name), SLICE_FORMAT(slice_prefix(new->word, 64)));
        status = error_hint(err, "Leave such rows out of the SELECT, or train without USING.");
    }
    free(entries);
    return status;
}

/* The rows have the old model's inputs, in its order. */
static enum status take_transform(const struct column_statistics *statistics,
                                  struct dataset *dataset, struct error *err)
{
    const struct jobspec *spec = statistics->spec;
    const struct transform *old;

    if (!dataset->old_model)
        return fill_transform(statistics, &dataset->transform, &dataset->arena, err);
    old = &dataset->old_model->transform;
    for (size_t i = 0; i < spec->input_count || i < old->input_count; i++)
        if (i >= spec->input_count || i >= old->input_count ||
            !slice_equal_fold(spec->inputs[i].name, old->inputs[i].spec.name) ||
            spec->inputs[i].type != old->inputs[i].spec.type ||
            spec->inputs[i].part != old->inputs[i].spec.part ||
            spec->inputs[i].rule != old->inputs[i].spec.rule ||
            spec->inputs[i].offset != old->inputs[i].spec.offset ||
            spec->inputs[i].label != old->inputs[i].spec.label ||
            spec->inputs[i].has_pairs != old->inputs[i].spec.has_pairs ||
            spec->inputs[i].weight != old->inputs[i].spec.weight ||
            !cell_list_equal(&spec->inputs[i].list, &old->inputs[i].spec.list))
            return fail(err, STATUS_CORRUPT, "the old model has other inputs than the job");
    for (size_t i = 0; i < spec->input_count; i++)
        if (spec->inputs[i].label && spec->inputs[i].label != INPUT_LABEL_NUMBER)
            TRY(check_label_words(&statistics->columns[i], &old->inputs[i], err));
    dataset->transform = *old;
    return STATUS_OK;
}

/* ---- classes ---- */

struct cell class_to_cell(enum label_type type, struct slice word)
{
    struct cell cell = {.type = CELL_TEXT, .text = word};

    if (type == LABEL_INTEGER) {
        cell = (struct cell){.type = CELL_INTEGER};
        memcpy(&cell.integer, word.data, sizeof cell.integer);
    } else if (type == LABEL_REAL) {
        cell = (struct cell){.type = CELL_REAL};
        memcpy(&cell.real, word.data, sizeof cell.real);
    }
    return cell;
}

static enum status refuse_fraction(const struct jobspec *spec, double fraction, struct error *err)
{
    struct text value;

    text_init(&value, 40); /* %g would call 30.000000000000004 a 30 */
    text_append_real(&value, fraction);
    fail(err, STATUS_INVALID,
         "label column \"%.*s\" has %s, and the labels of a classifier are whole numbers or text",
         SLICE_FORMAT(spec->label), text_string(&value));
    text_deinit(&value);
    return error_hint(err, "Train a regressor to predict a real number.");
}

/* The least fraction is the one to be named, whatever the order of the rows. */
static enum status check_fractions(const struct jobspec *spec, const struct word_entry *entries,
                                   uint32_t count, struct error *err)
{
    double least = INFINITY;

    for (uint32_t i = 0; i < count; i++) {
        const double real = class_to_cell(LABEL_REAL, entries[i].word).real;

        if (real != floor(real) && real < least)
            least = real;
    }
    return isinf(least) ? STATUS_OK : refuse_fraction(spec, least, err);
}

enum status check_classes(const struct jobspec *spec, const struct word_entry *entries,
                          uint32_t count, struct error *err)
{
    if (spec->label_type == LABEL_REAL)
        TRY(check_fractions(spec, entries, count, err));
    for (uint32_t i = 0; i < count && spec->label_type == LABEL_TEXT; i++)
        if (memchr(entries[i].word.data, '\0', entries[i].word.size))
            return fail(err, STATUS_INVALID, "label column \"%.*s\" has a text with a zero byte",
                        SLICE_FORMAT(spec->label));
    if (count <= CLASSES_MAX)
        return STATUS_OK;
    fail(err, STATUS_INVALID,
         "label column \"%.*s\" has more than %d different values, and a classifier distinguishes "
         "at most that many",
         SLICE_FORMAT(spec->label), CLASSES_MAX);
    return error_hint(err, "Train a regressor to predict a number.");
}

static enum status check_class_count(const struct jobspec *spec, const struct cell *only,
                                     uint32_t count, struct error *err)
{
    struct text value;

    if (spec->n_classes && count > spec->n_classes)
        return fail(err, STATUS_INVALID,
                    "label column \"%.*s\" has %u different values, and model.n_classes is %u",
                    SLICE_FORMAT(spec->label), count, spec->n_classes);
    if (count > 1)
        return STATUS_OK;
    text_init(&value, 100);
    if (only->type == CELL_TEXT)
        text_append(&value, slice_prefix(only->text, 64));
    else if (only->type == CELL_INTEGER)
        text_printf(&value, "%lld", (long long)only->integer);
    else
        text_append_real(&value, only->real);
    fail(err, STATUS_INVALID,
         "label column \"%.*s\" has only the value \"%s\": a classifier needs at least two",
         SLICE_FORMAT(spec->label), text_string(&value));
    error_hint(err, "A classifier needs rows of two classes at least.");
    text_deinit(&value);
    return STATUS_INVALID;
}

struct sortable {
    struct cell value;
    const struct word_entry *entry;
};

static int compare_classes(const void *a, const void *b)
{
    const struct cell *x = &((const struct sortable *)a)->value;
    const struct cell *y = &((const struct sortable *)b)->value;

    if (x->type == CELL_TEXT)
        return slice_compare(x->text, y->text);
    if (x->type == CELL_INTEGER)
        return (x->integer > y->integer) - (x->integer < y->integer);
    return (x->real > y->real) - (x->real < y->real);
}

/* The index has the classes in their order. */
static enum status add_class(const struct sortable *sorted, uint32_t class, struct dataset *dataset,
                             struct class_index *index, struct error *err)
{
    const struct slice word = arena_copy(&dataset->arena, sorted->entry->word);

    if (!word.data || word_table_add(&index->table, word) == WORD_TABLE_NONE)
        return fail_no_memory(err);
    index->classes[class] = class;
    if (sorted->value.type != CELL_TEXT && class < FEW_CLASSES)
        memcpy(&index->few[class], word.data, sizeof *index->few);
    dataset->labels.values[class] = sorted->value;
    if (sorted->value.type == CELL_TEXT)
        dataset->labels.values[class].text = word;
    return STATUS_OK;
}

static enum status add_classes(const struct jobspec *spec, const struct sortable *sorted,
                               uint32_t count, uint64_t rows, struct dataset *dataset,
                               struct class_index *index, struct error *err)
{
    dataset->labels.values = ARENA_NEW(&dataset->arena, struct cell, count);
    dataset->class_weights = ARENA_NEW(&dataset->arena, float, count);
    dataset->class_counts = ARENA_NEW(&dataset->arena, uint64_t, count);
    index->classes = ARENA_NEW(&dataset->arena, uint32_t, count);
    if (!dataset->labels.values || !dataset->class_weights || !dataset->class_counts ||
        !index->classes)
        return fail_no_memory(err);
    dataset->labels.count = count;
    for (uint32_t i = 0; i < count; i++) {
        TRY(add_class(&sorted[i], i, dataset, index, err));
        dataset->class_counts[i] = sorted[i].entry->count;
    }
    return class_weights_take(spec, rows, dataset, err);
}

static enum status refuse_positive(const struct jobspec *spec, const struct labels *labels,
                                   struct error *err)
{
    fail(err, STATUS_INVALID, "model.positive is '%.*s', and no row has that label",
         SLICE_FORMAT(slice_prefix(spec->positive, 64)));
    return class_names_hint(spec->label, labels, err);
}

static enum status find_positive(const struct jobspec *spec, struct dataset *dataset,
                                 struct error *err)
{
    const struct labels *labels = &dataset->labels;

    if (spec->positive.size == 0) {
        dataset->positive_is_lesser = dataset->old_model && dataset->old_model->positive_is_lesser;
        return STATUS_OK;
    }
    if (labels->count != 2)
        return fail(err, STATUS_INVALID,
                    "model.positive needs two classes, and label column \"%.*s\" has %u",
                    SLICE_FORMAT(spec->label), labels->count);
    dataset->positive_is_lesser = class_is_named(labels, 0, spec->positive);
    return dataset->positive_is_lesser || class_is_named(labels, 1, spec->positive)
               ? STATUS_OK
               : refuse_positive(spec, labels, err);
}

struct slice class_word(const struct cell *class)
{
    if (class->type == CELL_TEXT)
        return class->text;
    return class->type == CELL_INTEGER
               ? (struct slice){(const char *)&class->integer, sizeof class->integer}
               : (struct slice){(const char *)&class->real, sizeof class->real};
}

static enum status refuse_new_class(const struct jobspec *spec, const struct word_entry *entry,
                                    struct error *err)
{
    struct cell class = class_to_cell(spec->label_type, entry->word);
    const struct labels one = {.type = spec->label_type,
                               .count = 1,
                               .values = &class,
                               .spelling = label_spelling_of(spec->label_declared)};
    struct text value;

    text_init(&value, 100);
    class_name_append(&one, 0, &value);
    fail(err, STATUS_INVALID,
         "label column \"%.*s\" has %s, a class that the old model does not know",
         SLICE_FORMAT(spec->label), text_string(&value));
    text_deinit(&value);
    return error_hint(err, "Leave such rows out of the SELECT, or train without USING.");
}

/* The old model's classes, of which the rows may have some. */
static enum status take_classes(const struct column_statistics *statistics,
                                const struct word_entry *entries, uint32_t count,
                                struct dataset *dataset, struct class_index *index,
                                struct error *err)
{
    const struct labels *old = &dataset->old_model->labels;
    struct word_entry *known = calloc(old->count + (size_t)1, sizeof *known);
    struct sortable *sorted = calloc(old->count + (size_t)1, sizeof *sorted);
    const struct word_entry *new =
        NULL; /* the least by its bytes, whatever the order of the rows */
    enum status status = known && sorted ? STATUS_OK : fail_no_memory(err);

    for (uint32_t c = 0; status == STATUS_OK && c < old->count; c++) {
        known[c].word = class_word(&old->values[c]);
        sorted[c] = (struct sortable){old->values[c], &known[c]};
    }
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        uint32_t c = 0;

        while (c < old->count && !slice_equal(known[c].word, entries[i].word))
            c++;
        if (c < old->count)
            known[c].count = entries[i].count;
        else if (!new || slice_compare(entries[i].word, new->word) < 0)
            new = &entries[i];
    }
    if (new)
        status = refuse_new_class(statistics->spec, new, err);
    if (status == STATUS_OK)
        status = add_classes(statistics->spec, sorted, old->count, statistics->rows, dataset, index,
                             err);
    free(known);
    free(sorted);
    return status == STATUS_OK ? find_positive(statistics->spec, dataset, err) : status;
}

static enum status learn_classes(const struct column_statistics *statistics,
                                 const struct word_entry *entries, uint32_t count,
                                 struct dataset *dataset, struct class_index *index,
                                 struct error *err)
{
    const struct jobspec *spec = statistics->spec;
    struct sortable *sorted;
    enum status status;

    TRY(check_classes(spec, entries, count, err));
    if (dataset->old_model)
        return take_classes(statistics, entries, count, dataset, index, err);
    sorted = malloc((count + (size_t)1) * sizeof *sorted);
    if (!sorted)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] =
            (struct sortable){class_to_cell(spec->label_type, entries[i].word), &entries[i]};
    qsort(sorted, count, sizeof *sorted, compare_classes);
    status = check_class_count(spec, &sorted[0].value, count, err);
    if (status == STATUS_OK)
        status = add_classes(spec, sorted, count, statistics->rows, dataset, index, err);
    if (status == STATUS_OK)
        status = find_positive(spec, dataset, err);
    free(sorted);
    return status;
}

/* Is the mean of the logarithm's exponential 1, not the label's own mean 0? */
static bool divides_label(const struct jobspec *spec)
{
    const struct kind *kind = kind_of(spec);

    return kind->link && kind->link(&spec->params) == LABEL_LINK_EXP;
}

/* Sets how the label of a regression is scaled. It is kept as it is where the inputs are, but for
 * an origin that a sample tells (dataset_learn.c); a label whose logarithm is learned is divided by
 * its mean. Where learning goes on from a model, that model's scale stays. */
static enum status scale_label(const struct exact_moments *moments, const struct jobspec *spec,
                               const struct column_counts *label, struct dataset *dataset,
                               struct error *err)
{
    if (!exact_moments_measure(moments, &dataset->label_average, &dataset->label_deviation))
        return refuse_counts(label, err);
    if (dataset->old_model) {
        dataset->label_mean = dataset->old_model->label_mean;
        dataset->label_scale = dataset->old_model->label_scale;
    } else if (divides_label(spec)) {
        dataset->label_scale = dataset->label_average > 0 ? dataset->label_average : 1;
    } else if (!dataset->transform.keeps_numbers) {
        dataset->label_mean = dataset->label_average;
        dataset->label_scale = dataset->label_deviation;
    }
    return STATUS_OK;
}

static enum status fill_labels(const struct column_statistics *statistics, struct dataset *dataset,
                               struct class_index *index, struct error *err)
{
    const struct jobspec *spec = statistics->spec;
    const struct column_counts *label = &statistics->columns[spec->input_count];
    struct word_entry *entries;
    enum status status;
    uint32_t count;

    if (dataset->old_model && spec->task == TASK_CLASSIFICATION &&
        dataset->old_model->labels.type != spec->label_type)
        return fail(err, STATUS_CORRUPT, "the old model has labels of another type than the job");
    dataset->labels.type = spec->label_type;
    dataset->labels.reading = spec->label_reading;
    dataset->labels.spelling = label_spelling_of(spec->label_declared);
    dataset->label_scale = 1;
    if (!task_has_label(spec->task))
        return STATUS_OK;
    if (label->content == COLUMN_NUMBERS)
        return scale_label(&statistics->moments[label->number], spec, label, dataset, err);
    TRY(list_words(label, &entries, &count, err));
    status = learn_classes(statistics, entries, count, dataset, index, err);
    free(entries);
    return status;
}

/* Whether one is negative the summaries say (dataset_check.h). */
static enum status weigh_rows(const struct column_statistics *statistics, struct dataset *dataset,
                              struct error *err)
{
    const uint32_t number = spec_role_column(statistics->spec, ROLE_SAMPLE_WEIGHT);
    const struct column_counts *column = &statistics->columns[number];
    double deviation;

    if (number == 0)
        return STATUS_OK;
    if (!exact_moments_measure(&statistics->moments[column->number], &dataset->weight_average,
                               &deviation))
        return refuse_counts(column, err);
    if (dataset->weight_average > 0)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "weight column \"%.*s\" is 0 in all rows to learn from",
         SLICE_FORMAT(column->name));
    return error_hint(err, "A row of weight 0 counts as none.");
}

static enum status refuse_offset(const struct jobspec *spec, const struct dataset *dataset,
                                 struct error *err)
{
    const struct transform_input *offset = transform_offset_input(&dataset->transform);

    fail(err, STATUS_INVALID,
         "%s \"%.*s\" is one number for all of the %u classes of \"%.*s\", and changes none of "
         "their probabilities",
         offset_columns[offset->spec.offset], SLICE_FORMAT(offset->spec.name),
         dataset->labels.count, SLICE_FORMAT(spec->label));
    return error_hint(err, "Offsets need a regression, or two classes.");
}

/* Outputs of a regression are labels less their mean, by their scale, unless these have a link. */
static enum status offset_as_outputs(const struct jobspec *spec, struct dataset *dataset,
                                     struct error *err)
{
    struct transform *transform = &dataset->transform;

    if (transform->offset_width > 0 && dataset->labels.count > 2)
        return refuse_offset(spec, dataset, err);
    if (transform->offset_width == 0 || dataset->old_model || transform->keeps_numbers ||
        spec->task != TASK_REGRESSION || divides_label(spec))
        return STATUS_OK;
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.offset)
            transform->inputs[i].scale = dataset->label_scale;
    return transform_finish_numbers(transform, &dataset->arena, err);
}

enum status column_statistics_finish(const struct column_statistics *statistics,
                                     struct dataset *dataset, struct class_index *index,
                                     struct error *err)
{
    TRY(check_columns(statistics, err));
    TRY(take_transform(statistics, dataset, err));
    TRY(fill_labels(statistics, dataset, index, err));
    TRY(offset_as_outputs(statistics->spec, dataset, err));
    TRY(weigh_rows(statistics, dataset, err));
    return column_notices(statistics, dataset, err);
}
