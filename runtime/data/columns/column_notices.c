#include "runtime/data/columns/column_notices.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "inputs/cells/cells.h"
#include "jobspec/jobspec_sections.h"
#include "runtime/data/columns/class_codes.h"
#include "runtime/data/columns/text_notices.h"
#include "runtime/data/columns/weightless_classes.h"
#include "runtime/data/columns/word_spellings.h"
#include "runtime/data/spool/column_counts.h"
#include "runtime/data/statistics/exact_measure.h"
#include "scoring/label_names.h"

#define RARE_NAMED    3      /* classes that a notice names */
#define SHARED_LEAST  .05    /* share of the rows with a word: fewer are not noted */
#define WHOLE_DOUBLES 0x1p53 /* doubles have all whole numbers below */
#define STEPS_ENOUGH  1000   /* steps in a deviation: more of them hide nothing */

/* ----- inputs ----- */

static void append_value(struct text *out, const struct cell *value)
{
    if (value->type == CELL_TEXT)
        text_printf(out, "'%.*s'", SLICE_FORMAT(slice_prefix(value->text, 64)));
    else if (value->type == CELL_INTEGER)
        text_printf(out, "%lld", (long long)value->integer);
    else
        text_append_real(out, value->real);
}

/* Whether all rows have one value in a column of numbers that fall into buckets. */
static bool is_one_value(const struct column_counts *column, uint64_t rows, struct cell *value)
{
    for (uint32_t i = 0; i < column->table.count; i++)
        if (column->table.entries[i].count == rows) {
            *value = class_to_cell(LABEL_REAL, column->table.entries[i].word);
            return true;
        }
    return false;
}

/* The only value of a column without NULLs. */
static bool is_constant(const struct column_statistics *statistics, uint32_t i,
                        const struct dataset *dataset, struct cell *value)
{
    const struct column_counts *column = &statistics->columns[i];
    const struct transform_input *input = &dataset->transform.inputs[i];
    double mean;

    if (column->nulls > 0 || column->content == COLUMN_TEXTS)
        return false;
    if (column->content == COLUMN_NUMBERS) {
        if (!exact_moments_are_constant(&statistics->moments[column->number], &mean))
            return false;
        *value = (struct cell){.type = CELL_REAL, .real = mean};
        return true;
    }
    if (column->content == COLUMN_VALUES)
        return is_one_value(column, statistics->rows, value);
    /* An old model's words are not those of the rows. */
    if (dataset->old_model || input->spec.type == INPUT_TEXT || input->word_count != 1 ||
        input->word_counts[0] != statistics->rows)
        return false;
    *value = (struct cell){.type = CELL_TEXT, .text = input->words[0]};
    return true;
}

static const char *what_is_learned(const struct jobspec *spec)
{
    switch (spec->task) {
    case TASK_CLUSTERING:
        return "clusters";
    case TASK_PROJECTION:
        return spec->graph ? "loss" : "components";
    case TASK_DETECTION:
        return "outliers";
    default:
        return "label";
    }
}

/* Doubles know whole numbers of 2^53 and more in steps, which leave few or one of those that are
 * near to each other. False: the column has no such numbers. */
static bool note_steps(const struct column_statistics *statistics, uint32_t i,
                       struct dataset *dataset)
{
    const struct column_counts *column = &statistics->columns[i];
    double mean, deviation, step;
    struct text number;
    int bits;

    if (column->content != COLUMN_NUMBERS || statistics->rows < 2 ||
        !exact_moments_measure(&statistics->moments[column->number], &mean, &deviation) ||
        !(fabs(mean) >= WHOLE_DOUBLES))
        return false;
    (void)frexp(mean, &bits);
    step = ldexp(1, bits - DBL_MANT_DIG);
    if (deviation > STEPS_ENOUGH * step)
        return false;
    text_init(&number, 100);
    text_append_real(&number, mean);
    notice_add(
        dataset->notices, NOTICE_READING,
        "%s \"%.*s\" has numbers as large as %s, which a model distinguishes in steps of %.0f "
        "alone",
        column_is_called(statistics, i), SLICE_FORMAT(column->name), text_string(&number), step);
    text_deinit(&number);
    notice_hint(dataset->notices,
                i == statistics->spec->input_count
                    ? "Subtract a number near them in the SELECT."
                    : "Subtract a number near them in the SELECT; ids are words by COLUMN *, "
                      "VOCABULARY(%s).",
                SQL_NAME(column->name));
    return true;
}

static void note_constant(const struct column_statistics *statistics, uint32_t i,
                          struct dataset *dataset)
{
    const struct column_counts *column = &statistics->columns[i];
    const struct cell_list *list = &dataset->transform.inputs[i].spec.list;
    const unsigned long long rows = (unsigned long long)statistics->rows;
    struct cell value;
    struct text shown;

    if (list->form == LIST_WORDS || cell_list_has_bytes(list))
        return; /* nobody asked about a bucket that no text has a word in, or the edge of pictures
                 */
    if (column->nulls == statistics->rows) {
        notice_add(dataset->notices, NOTICE_CONSTANT, "column \"%.*s\" is NULL in all %llu rows",
                   SLICE_FORMAT(column->name), rows);
    } else if (rows > 1 && is_constant(statistics, i, dataset, &value)) {
        text_init(&shown, 100);
        append_value(&shown, &value);
        notice_add(dataset->notices, NOTICE_CONSTANT, "column \"%.*s\" is %s in all %llu rows",
                   SLICE_FORMAT(column->name), text_string(&shown), rows);
        text_deinit(&shown);
    } else {
        return;
    }
    if (statistics->spec->inputs[i].label)
        notice_hint(dataset->notices,
                    "It is a label: these rows teach the model nothing else of it.");
    else
        notice_hint(dataset->notices, "It has no information about the %s.",
                    what_is_learned(statistics->spec));
}

/* Different words; one that was taken out as often as it was added is there no more. */
static uint64_t words_of(const struct column_counts *column)
{
    uint64_t words = 0;

    for (uint32_t i = 0; i < column->table.count; i++)
        words += column->table.entries[i].count != 0;
    return words;
}

/* Rows that have one of the first so many words, which are the frequent ones. */
static uint64_t rows_of_words(const struct transform_input *input, uint32_t count)
{
    uint64_t rows = 0;

    for (uint32_t i = 0; i < count; i++)
        rows += input->word_counts[i];
    return rows;
}

/* Training rows that a word of a category needs to be told apart. */
static uint64_t rows_to_be_apart(const struct jobspec *spec, uint32_t words)
{
    const struct kind *kind = kind_of(spec);

    return kind->word_rows_least ? kind->word_rows_least(&spec->params, words) : 1;
}

/* Notes the words that are one to a kind of model which tells only some words apart, where enough
 * rows have them. */
static void note_shared(const struct column_statistics *statistics, uint32_t i,
                        struct dataset *dataset)
{
    const struct column_counts *column = &statistics->columns[i];
    const struct transform_input *input = &dataset->transform.inputs[i];
    const uint32_t most = kind_of(statistics->spec)->words_most;
    const uint64_t words = words_of(column), valued = statistics->rows - column->nulls;
    const uint64_t least = rows_to_be_apart(statistics->spec, input->word_count);
    const uint32_t frequent = transform_words_of(input, least);
    const uint32_t apart = frequent < most ? frequent : most;
    uint64_t rows;

    if (dataset->old_model || !input->word_counts || words <= apart)
        return;
    rows = valued - rows_of_words(input, apart);
    if (words <= most && (double)rows < SHARED_LEAST * (double)valued)
        return;
    notice_add(dataset->notices, NOTICE_VOCABULARY,
               "column \"%.*s\" has %llu different words: %llu of them, of %llu rows, are one to "
               "the trees",
               SLICE_FORMAT(column->name), (unsigned long long)words,
               (unsigned long long)(words - apart), (unsigned long long)rows);
    if (words > most)
        notice_hint(dataset->notices,
                    "Trees distinguish %u words of a column, the most frequent ones.", most);
    else if (least > 1)
        notice_hint(
            dataset->notices,
            "A word of fewer rows than cat_smooth, %llu here, is not distinguished from others.",
            (unsigned long long)least);
    else if (words > statistics->spec->inputs[i].vocabulary_max)
        notice_hint(dataset->notices, "COLUMN VOCABULARY(%s, %llu) keeps them all.",
                    SQL_NAME(column->name), (unsigned long long)words);
    else
        notice_hint(dataset->notices, "A word of a single row carries no information by itself.");
}

/* Notes where a column has more hash buckets, ids or crosses than the kind of model tells apart. */
static void note_buckets(const struct column_statistics *statistics, uint32_t i,
                         struct dataset *dataset)
{
    const struct transform_input *input = &dataset->transform.inputs[i];
    const uint32_t most = kind_of(statistics->spec)->words_most;

    if (input->spec.type != INPUT_CATEGORY || input->hash_buckets <= most)
        return;
    notice_add(dataset->notices, NOTICE_VOCABULARY,
               "column \"%.*s\" has %u buckets: those from %u on are one to the trees",
               SLICE_FORMAT(statistics->columns[i].name), input->hash_buckets, most);
    notice_hint(dataset->notices, "Let it have %u buckets or fewer.", most);
}

static void note_vocabulary(const struct column_statistics *statistics, uint32_t i,
                            struct dataset *dataset)
{
    const struct column_counts *column = &statistics->columns[i];
    const struct transform_input *input = &dataset->transform.inputs[i];
    const uint32_t most = statistics->spec->inputs[i].vocabulary_max;
    uint64_t words;

    if (kind_of(statistics->spec)->words_most > 0) {
        if (column->content == COLUMN_WORDS)
            note_shared(statistics, i, dataset);
        else
            note_buckets(statistics, i, dataset);
        return;
    }
    if (input->spec.weight && !dataset->old_model)
        text_terms_note(input, words_of(column), statistics->rows, dataset->notices);
    if (column->content != COLUMN_WORDS || input->hash_buckets == 0)
        return;
    words = words_of(column);
    if (words <= most)
        return;
    notice_add(dataset->notices, NOTICE_VOCABULARY,
               "column \"%.*s\" has %llu different words: %llu of them share %u hash %s",
               SLICE_FORMAT(column->name), (unsigned long long)words,
               (unsigned long long)(words - input->word_count), input->hash_buckets,
               input->hash_buckets == 1 ? "bucket" : "buckets");
    if (words <= CATEGORY_WORDS_MAX)
        notice_hint(dataset->notices, "COLUMN VOCABULARY(%s, %llu) keeps them all.",
                    SQL_NAME(column->name), (unsigned long long)words);
}

/* Words of a text that holds one each, as the rows have them. */
static enum status note_spellings(const struct column_statistics *statistics, uint32_t i,
                                  struct dataset *dataset, struct error *err)
{
    const struct column_counts *column = &statistics->columns[i];

    if (column->content != COLUMN_WORDS || column->words_most > 0 || dataset->old_model ||
        dataset->transform.inputs[i].word_count == 0)
        return STATUS_OK;
    return word_spellings_note(&column->table, column->name, false, dataset->notices, err);
}

/* ----- labels ----- */

struct sized_class {
    uint64_t rows;
    struct cell value;
};

static int compare_values(const struct cell *a, const struct cell *b)
{
    if (a->type == CELL_TEXT)
        return slice_compare(a->text, b->text);
    if (a->type == CELL_INTEGER)
        return (a->integer > b->integer) - (a->integer < b->integer);
    return (a->real > b->real) - (a->real < b->real);
}

static int compare_sizes(const void *a, const void *b)
{
    const struct sized_class *x = a, *y = b;

    if (x->rows != y->rows)
        return x->rows < y->rows ? -1 : 1;
    return compare_values(&x->value, &y->value);
}

static bool is_rare(uint64_t class_rows, uint64_t rows, uint32_t classes)
{
    const double share = (double)class_rows / (double)rows;

    return (class_rows < RARE_CLASS_ROWS || share < RARE_CLASS_SHARE) && share * classes * 2 < 1;
}

static void append_class(struct text *out, enum label_spelling spelling, struct cell *value)
{
    const struct labels one = {.count = 1, .values = value, .spelling = spelling};
    char buffer[TRANSFORM_WORD_BUFFER];

    if (spelling == LABEL_AS_NUMBER)
        append_value(out, value);
    else
        text_append(out, label_name(&one, 0, buffer));
}

static void append_classes(const struct dataset *dataset, struct sized_class *sizes, uint32_t count,
                           struct text *out)
{
    for (uint32_t i = 0; i < count && i < RARE_NAMED; i++) {
        text_append_string(out, i > 0 ? ", " : "");
        append_class(out, dataset->labels.spelling, &sizes[i].value);
        text_printf(out, " has %llu", (unsigned long long)sizes[i].rows);
    }
}

/* No class is rare, and there are few rows of each. */
static void note_few(struct dataset *dataset, struct sized_class *sizes, uint32_t classes,
                     uint64_t rows)
{
    uint32_t few = 0;
    struct text list;

    while (few < classes && sizes[few].rows < RARE_CLASS_ROWS)
        few++;
    if (few == 0)
        return;
    text_init(&list, NOTICE_BYTES_MAX);
    append_classes(dataset, sizes, few, &list);
    notice_add(dataset->notices, NOTICE_RARE_CLASS, "few rows, %llu in all%s: %s",
               (unsigned long long)rows, few > RARE_NAMED ? "; the fewest" : "",
               text_string(&list));
    text_deinit(&list);
    notice_hint(dataset->notices, "So few rows give little information about a class.");
}

/* `sizes` ascend. */
static void note_rare(const struct jobspec *spec, struct dataset *dataset,
                      struct sized_class *sizes, uint32_t classes, uint64_t rows)
{
    const bool is_weighed = spec->balanced || spec->class_weights.size > 0;
    uint32_t rare = 0;
    struct text list;

    while (rare < classes && is_rare(sizes[rare].rows, rows, classes))
        rare++;
    if (rare == 0) {
        note_few(dataset, sizes, classes, rows);
        return;
    }
    text_init(&list, NOTICE_BYTES_MAX);
    append_classes(dataset, sizes, rare, &list);
    notice_add(dataset->notices, NOTICE_RARE_CLASS, "%u of %u classes %s rare in %llu rows%s: %s",
               rare, classes, rare == 1 ? "is" : "are", (unsigned long long)rows,
               rare > RARE_NAMED ? "; the rarest" : "", text_string(&list));
    text_deinit(&list);
    if (sizes[0].rows < RARE_CLASS_ROWS)
        notice_hint(dataset->notices, "So few rows give little information about a class.");
    else
        notice_hint(dataset->notices, "Accuracy hides them: look at F1 or Recall.%s",
                    is_weighed ? ""
                               : " WITH train.class_weight = 'balanced' makes them weigh more.");
}

static bool are_numbers(const struct labels *labels)
{
    double number;

    for (uint32_t i = 0; i < labels->count && labels->type == LABEL_TEXT; i++)
        if (!slice_to_real(labels->values[i].text, &number))
            return false;
    return true;
}

static bool note_number_labels(const struct jobspec *spec, struct dataset *dataset)
{
    const struct labels *labels = &dataset->labels;

    if (labels->count <= NUMBER_CLASSES_MAX || !are_numbers(labels))
        return false;
    notice_add(dataset->notices, NOTICE_LABEL,
               "label column \"%.*s\" has %u different numbers%s, and each is a class of its own",
               SLICE_FORMAT(spec->label), labels->count,
               labels->type == LABEL_TEXT ? ", written as text" : "");
    notice_hint(dataset->notices, "Did you mean to predict the number? LinearRegressor and "
                                  "DNNRegressor do.");
    return true;
}

static void note_missing_labels(const struct jobspec *spec, const struct sized_class *sizes,
                                uint32_t count, struct dataset *dataset)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct slice text = sizes[i].value.text;

        if (!class_says_missing(&dataset->labels, &sizes[i].value))
            continue;
        notice_add(dataset->notices, NOTICE_LABEL,
                   "label column \"%.*s\" is '%.*s' in %llu row%s, which is a class of its own",
                   SLICE_FORMAT(spec->label), SLICE_FORMAT(slice_prefix(text, 64)),
                   (unsigned long long)sizes[i].rows, sizes[i].rows == 1 ? "" : "s");
        notice_hint(dataset->notices,
                    "If the label is missing there, leave the rows out: WHERE %s <> %s.",
                    SQL_NAME(spec->label), SQL_TEXT(slice_prefix(text, 64)));
    }
}

static enum status note_classes(const struct column_statistics *statistics, struct dataset *dataset,
                                struct error *err)
{
    const struct jobspec *spec = statistics->spec;
    const struct column_counts *label = &statistics->columns[spec->input_count];
    const uint32_t classes = dataset->labels.count;
    struct sized_class *sizes = calloc(classes + (size_t)1, sizeof *sizes);
    uint32_t count = 0;

    if (!sizes)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < label->table.count && count < classes; i++) {
        const struct word_entry *entry = &label->table.entries[i];

        if (entry->count > 0)
            sizes[count++] =
                (struct sized_class){entry->count, class_to_cell(spec->label_type, entry->word)};
    }
    qsort(sizes, count, sizeof *sizes, compare_sizes);
    if (!note_number_labels(spec, dataset))
        note_rare(spec, dataset, sizes, count, statistics->rows);
    note_missing_labels(spec, sizes, count, dataset);
    free(sizes);
    if (!dataset->old_model)
        TRY(class_codes_note(spec->label, dataset, err));
    if (dataset->labels.type == LABEL_TEXT && !dataset->old_model)
        TRY(word_spellings_note(&label->table, spec->label, true, dataset->notices, err));
    return weightless_classes(statistics, dataset, err);
}

/* A model of numbers is right with it, and tells nothing. */
static void note_constant_label(const struct column_statistics *statistics, struct dataset *dataset)
{
    const struct jobspec *spec = statistics->spec;
    const struct column_counts *label = &statistics->columns[spec->input_count];
    struct cell value = {.type = CELL_REAL};
    struct text shown;

    if (statistics->rows < 2 || label->content != COLUMN_NUMBERS ||
        !exact_moments_are_constant(&statistics->moments[label->number], &value.real))
        return;
    text_init(&shown, 100);
    append_value(&shown, &value);
    notice_add(dataset->notices, NOTICE_CONSTANT, "label column \"%.*s\" is %s in all %llu rows",
               SLICE_FORMAT(spec->label), text_string(&shown),
               (unsigned long long)statistics->rows);
    notice_hint(dataset->notices, "Every row will be predicted to be that.");
    text_deinit(&shown);
}

enum status column_notices(const struct column_statistics *statistics, struct dataset *dataset,
                           struct error *err)
{
    dataset->notices = ARENA_NEW(&dataset->arena, struct notice_list, 1);
    if (!dataset->notices)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < statistics->spec->input_count; i++) {
        /* A word that tells a series is the same in all of its rows, whatever others there are. */
        if (statistics->spec->inputs[i].offset || kind_of(statistics->spec)->learns_series)
            continue;
        if (!note_steps(statistics, i, dataset))
            note_constant(statistics, i, dataset);
        note_vocabulary(statistics, i, dataset);
        TRY(note_spellings(statistics, i, dataset, err));
    }
    if (statistics->spec->task == TASK_REGRESSION &&
        !note_steps(statistics, statistics->spec->input_count, dataset))
        note_constant_label(statistics, dataset);
    return statistics->spec->task == TASK_CLASSIFICATION ? note_classes(statistics, dataset, err)
                                                         : STATUS_OK;
}
