#include "runtime/learn/leaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALL_CELLS 200000     /* cells in a call, about */
#define ALONE      UINT32_MAX /* the order of a NULL among numbers: nothing is near it */
#define DIGIT_BITS 11
#define DIGITS     ((1u << DIGIT_BITS))
#define PASSES     3
#define SIGN       0x80000000u

/* A row by what its column holds. */
struct placed {
    uint32_t order; /* the number's place among all floats, or the word's id */
    uint32_t row;
};

/* The prediction by the rows of one value: a class, or a standardised number. */
struct known {
    uint32_t order;
    double label;
};

struct leak_rule {
    uint32_t rows, classes;   /* classes 0: the label is a number */
    struct placed *places[2]; /* (rows): sorted, and room to sort */
    struct known *known;      /* (rows) */
    uint32_t *counts;         /* (classes): zeros between two values */
    uint32_t known_count;
    bool is_words;
    double usual;  /* prediction where nothing is known: the most frequent class, or the mean */
    double spread; /* loss of `usual` on the rows that judge: rows of other classes, or squares
                      around the mean */
    const struct dataset_part *part;
};

/* Does it belong to the rows that judge? */
static bool judges(uint32_t row)
{
    return row % 2 == 1;
}

static double label_of(const struct leak_rule *rule, uint32_t row)
{
    return rule->classes > 0 ? rule->part->classes[row] : (double)rule->part->values[row];
}

/* The loss where `label` is predicted. */
static double lost(const struct leak_rule *rule, uint32_t row, double label)
{
    const double off = label_of(rule, row) - label;

    return rule->classes > 0 ? off != 0 : off * off;
}

/* ---- room ---- */

static void free_rule(struct leak_rule *rule)
{
    if (!rule)
        return;
    free(rule->places[0]);
    free(rule->places[1]);
    free(rule->known);
    free(rule->counts);
    free(rule);
}

static struct leak_rule *make_rule(const struct dataset *dataset)
{
    const struct dataset_part *part = &dataset->sample;
    const size_t rows = (size_t)part->rows + 1;
    struct leak_rule *rule = calloc(1, sizeof *rule);

    if (!rule)
        return NULL;
    rule->part = part;
    rule->rows = (uint32_t)part->rows;
    rule->classes = part->classes ? dataset->labels.count : 0;
    rule->places[0] = calloc(rows, sizeof *rule->places[0]);
    rule->places[1] = calloc(rows, sizeof *rule->places[1]);
    rule->known = calloc(rows, sizeof *rule->known);
    rule->counts = calloc(rule->classes + (size_t)1, sizeof *rule->counts);
    if (rule->places[0] && rule->places[1] && rule->known && rule->counts)
        return rule;
    free_rule(rule);
    return NULL;
}

static uint32_t most_frequent(const uint32_t *counts, uint32_t classes)
{
    uint32_t most = 0;

    for (uint32_t i = 1; i < classes; i++)
        if (counts[i] > counts[most])
            most = i;
    return most;
}

/* Measures the prediction without any column, and its loss. */
static void measure_usual(struct leak_rule *rule)
{
    double sum = 0;

    for (uint32_t row = 0; row < rule->rows; row++) {
        if (rule->classes > 0)
            rule->counts[rule->part->classes[row]]++;
        else
            sum += rule->part->values[row];
    }
    rule->usual = rule->classes > 0 ? most_frequent(rule->counts, rule->classes) : sum / rule->rows;
    memset(rule->counts, 0, rule->classes * sizeof *rule->counts);
    for (uint32_t row = 0; row < rule->rows; row++)
        rule->spread += judges(row) ? lost(rule, row, rule->usual) : 0;
}

enum status leaks_init(struct leaks *leaks, const struct dataset *dataset, struct slice label,
                       struct error *err)
{
    const struct dataset_part *sample = &dataset->sample;

    *leaks = (struct leaks){.dataset = dataset, .label = label};
    if (sample->rows < LEAK_ROWS_MIN || dataset->transform.column_count < 2 ||
        (!sample->classes && !sample->values))
        return STATUS_OK;
    leaks->rule = make_rule(dataset);
    if (!leaks->rule)
        return fail_no_memory(err);
    return STATUS_OK;
}

void leaks_deinit(struct leaks *leaks)
{
    free_rule(leaks->rule);
    leaks->rule = NULL;
}

/* ---- the rows in the order of a column ---- */

/* Numbers in their order: of negative ones the greater magnitude is less. */
static uint32_t order_of_number(float number)
{
    uint32_t bits;

    number += 0.0f; /* -0 is 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

static double number_of_order(uint32_t order)
{
    const uint32_t bits = order & SIGN ? order & ~SIGN : ~order;
    float number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static void place_rows(struct leak_rule *rule, const struct transform *transform, uint32_t input)
{
    const struct transform_input *column = &transform->inputs[input];

    rule->is_words = column->spec.type == INPUT_CATEGORY;
    for (uint32_t row = 0; row < rule->rows; row++) {
        const float *dense =
            rule->part->dense + (size_t)row * transform->dense_width + column->dense_offset;
        uint32_t order;

        if (rule->is_words)
            order =
                (uint32_t)rule->part->ids[(size_t)row * transform->id_count + column->id_offset];
        else
            order = transform_was_null(column, dense) ? ALONE : order_of_number(dense[0]);
        rule->places[0][row] = (struct placed){order, row};
    }
}

/* By order, and rows of the same in their order: a digit of the order at a time. */
static void sort_places(struct leak_rule *rule)
{
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        const struct placed *from = rule->places[0];
        struct placed *to = rule->places[1];
        uint32_t starts[DIGITS + 1] = {0};

        for (uint32_t i = 0; i < rule->rows; i++)
            starts[(from[i].order >> pass * DIGIT_BITS & (DIGITS - 1)) + 1]++;
        for (uint32_t i = 0; i < DIGITS; i++)
            starts[i + 1] += starts[i];
        for (uint32_t i = 0; i < rule->rows; i++)
            to[starts[from[i].order >> pass * DIGIT_BITS & (DIGITS - 1)]++] = from[i];
        rule->places[1] = rule->places[0];
        rule->places[0] = to;
    }
}

static uint32_t end_of_value(const struct leak_rule *rule, uint32_t first)
{
    uint32_t end = first + 1;

    while (end < rule->rows && rule->places[0][end].order == rule->places[0][first].order)
        end++;
    return end;
}

/* ---- the rule, and its judgement ---- */

/* The most frequent class of rows of one value that make the rule; of equal ones that which was
 * first. */
static double class_of_value(const struct leak_rule *rule, const struct placed *rows,
                             uint32_t count)
{
    uint32_t most = 0, class = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t label = (uint32_t)rule->part->classes[rows[i].row];

        if (judges(rows[i].row) || ++rule->counts[label] <= most)
            continue;
        most = rule->counts[label];
        class = label;
    }
    for (uint32_t i = 0; i < count; i++)
        rule->counts[rule->part->classes[rows[i].row]] = 0;
    return class;
}

static double mean_of_value(const struct leak_rule *rule, const struct placed *rows, uint32_t count)
{
    double sum = 0;
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!judges(rows[i].row)) {
            sum += rule->part->values[rows[i].row];
            found++;
        }
    return sum / found;
}

static bool is_known(const struct placed *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!judges(rows[i].row))
            return true;
    return false;
}

static void learn_rule(struct leak_rule *rule)
{
    uint32_t end;

    rule->known_count = 0;
    for (uint32_t first = 0; first < rule->rows; first = end) {
        const struct placed *rows = rule->places[0] + first;

        end = end_of_value(rule, first);
        if (is_known(rows, end - first))
            rule->known[rule->known_count++] = (struct known){
                rows->order, rule->classes > 0 ? class_of_value(rule, rows, end - first)
                                               : mean_of_value(rule, rows, end - first)};
    }
}

/* The rows that predict a row, by their value. */
enum rule_of { OF_EQUAL_OR_NEAREST, OF_EQUAL, OF_NEXT };

static bool is_number_known(const struct leak_rule *rule, int64_t at)
{
    return at >= 0 && at < rule->known_count && rule->known[at].order != ALONE;
}

/* The label of the nearer one of the numbers at `low` and `high`. */
static double label_of_nearer(const struct leak_rule *rule, uint32_t order, int64_t low,
                              int64_t high)
{
    const double number = number_of_order(order);

    if (!is_number_known(rule, low) && !is_number_known(rule, high))
        return rule->usual;
    if (!is_number_known(rule, low) || !is_number_known(rule, high))
        return rule->known[is_number_known(rule, low) ? low : high].label;
    return number - number_of_order(rule->known[low].order) <=
                   number_of_order(rule->known[high].order) - number
               ? rule->known[low].label
               : rule->known[high].label;
}

/* at: the last known value that is not greater, where there is one. */
static double predicted(const struct leak_rule *rule, enum rule_of of, uint32_t order, uint32_t at)
{
    const uint32_t near = rule->known[at].order;

    if (near == order && of != OF_NEXT)
        return rule->known[at].label;
    if (rule->is_words || order == ALONE || of == OF_EQUAL)
        return rule->usual;
    if (near > order)
        return label_of_nearer(rule, order, -1, at);
    return label_of_nearer(rule, order, near == order ? (int64_t)at - 1 : at, (int64_t)at + 1);
}

/* The share of the spread that the rule leaves. */
static double judge_rule(const struct leak_rule *rule, enum rule_of of)
{
    double left = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < rule->rows; i++) {
        const struct placed *place = &rule->places[0][i];

        if (!judges(place->row))
            continue;
        while (at + 1 < rule->known_count && rule->known[at + 1].order <= place->order)
            at++;
        left += lost(rule, place->row, predicted(rule, of, place->order, at));
    }
    return left / rule->spread;
}

/* AUC of the numbers, whichever way they rank two classes; a NULL is the greatest. */
static double rank_classes(const struct leak_rule *rule)
{
    double below = 0, wins = 0, rows[2] = {0};
    uint32_t end;

    for (uint32_t first = 0; first < rule->rows; first = end) {
        double here[2] = {0};

        end = end_of_value(rule, first);
        for (uint32_t i = first; i < end; i++)
            here[rule->part->classes[rule->places[0][i].row]]++;
        wins += here[1] * (below + here[0] / 2);
        below += here[0];
        rows[0] += here[0];
        rows[1] += here[1];
    }
    wins /= rows[0] * rows[1];
    return wins < 0.5 ? 1 - wins : wins;
}

/* ---- notices ---- */

static void append_finding(const struct leak_rule *rule, double left, struct text *out)
{
    const double auc = rule->classes == 2 && !rule->is_words ? rank_classes(rule) : 0;

    if (auc >= LEAK_RANKS)
        text_printf(out, "AUC %.4g on %u rows", auc, rule->rows);
    else if (rule->classes > 0 && left <= LEAK_ERRORS)
        text_printf(out, "right in %.4g %% of %u rows",
                    100 - 100 * left * rule->spread / (rule->rows / 2), rule->rows / 2);
    else if (rule->classes == 0 && left <= 1 - LEAK_R2)
        text_printf(out, "R2 %.4g on %u rows", 1 - left, rule->rows / 2);
}

/* Are the known numbers whole, as far as floats tell? */
static bool are_whole(const struct leak_rule *rule, const struct transform_input *column)
{
    for (uint32_t i = 0; i < rule->known_count; i++) {
        const double number = number_of_order(rule->known[i].order) * column->scale + column->mean;

        if (rule->known[i].order != ALONE &&
            fabs(number - floor(number + .5)) > 1e-3 + 1e-6 * fabs(number))
            return false;
    }
    return true;
}

/* Rows of the same number tell the label, and those of the next ones do not. */
static void note_names(struct leaks *leaks, const struct transform_input *column,
                       struct notice_list *notices)
{
    const struct leak_rule *rule = leaks->rule;
    double equal, next;

    if (rule->is_words || column->spec.list.form || column->spec.part ||
        rule->known_count < NAMES_MIN || rule->rows < NAMES_ROWS_MIN * rule->known_count ||
        !are_whole(rule, column))
        return;
    equal = judge_rule(rule, OF_EQUAL);
    next = fmin(1, judge_rule(rule, OF_NEXT));
    if (equal > next - NAMES_GAIN)
        return;
    notice_add(
        notices, NOTICE_READING,
        "column \"%.*s\" holds numbers that seem to be names: rows of the same number explain "
        "%.2g of \"%.*s\", those of the next numbers %.2g",
        SLICE_FORMAT(column->spec.name), 1 - equal, SLICE_FORMAT(leaks->label), 1 - next);
    notice_hint(notices, "COLUMN VOCABULARY(%s) takes them as words.", SQL_NAME(column->spec.name));
    leaks->has_names = true;
}

static void note_input(struct leaks *leaks, uint32_t input, struct notice_list *notices)
{
    const struct transform_input *column = &leaks->dataset->transform.inputs[input];
    struct leak_rule *rule = leaks->rule;
    struct text finding;
    double left;

    if (column->spec.type == INPUT_TEXT || column->spec.offset)
        return; /* its words would each be a column; nothing is learned from an offset */
    place_rows(rule, &leaks->dataset->transform, input);
    sort_places(rule);
    learn_rule(rule);
    text_init(&finding, NOTICE_BYTES_MAX);
    left = judge_rule(rule, OF_EQUAL_OR_NEAREST);
    if (1 - left > leaks->explained) {
        leaks->explained = 1 - left;
        leaks->best = input;
    }
    append_finding(rule, left, &finding);
    if (finding.size > 0) {
        notice_add(notices, NOTICE_LEAK, "column \"%.*s\" alone predicts \"%.*s\": %s",
                   SLICE_FORMAT(column->spec.name), SLICE_FORMAT(leaks->label),
                   text_string(&finding));
        notice_hint(notices,
                    "Is it known before the label is? If not, leave it out of the SELECT.");
    } else {
        note_names(leaks, column, notices);
    }
    text_deinit(&finding);
}

/* Enough to tell a rule from luck. */
static bool has_enough(const struct leak_rule *rule)
{
    return rule->classes > 0 ? rule->spread >= LEAK_OTHERS_MIN : rule->spread > 0;
}

bool leaks_are_done(const struct leaks *leaks)
{
    return !leaks->rule || leaks->next == leaks->dataset->transform.input_count;
}

void leaks_some(struct leaks *leaks, struct notice_list *notices)
{
    if (leaks->next == 0)
        measure_usual(leaks->rule);
    if (!has_enough(leaks->rule))
        leaks->next = leaks->dataset->transform.input_count;
    for (uint64_t cells = 0; !leaks_are_done(leaks) && cells < CALL_CELLS;
         cells += leaks->rule->rows)
        note_input(leaks, leaks->next++, notices);
}

bool leaks_explain(const struct leaks *leaks, double explained, struct notice_list *notices)
{
    const struct transform_input *best = &leaks->dataset->transform.inputs[leaks->best];

    if (leaks->has_names || !(fmax(explained, 0) < leaks->explained - LEAK_LOST))
        return leaks->has_names;
    notice_add(
        notices, NOTICE_BASELINE,
        "the model explains %.2g of \"%.*s\", where column \"%.*s\" alone explains %.2g, by the "
        "labels of rows with the same or the nearest value",
        explained > 0 ? explained : 0, SLICE_FORMAT(leaks->label), SLICE_FORMAT(best->spec.name),
        leaks->explained);
    notice_hint(notices,
                best->spec.type == INPUT_CATEGORY
                    ? "More rounds or epochs, a larger VOCABULARY, or another estimator may "
                      "take more of its words."
                    : "More rounds or epochs, BUCKET(column, n) in COLUMN, or trees in place "
                      "of a linear model may take more of it.");
    return true;
}
