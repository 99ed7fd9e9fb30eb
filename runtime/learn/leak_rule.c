#include "runtime/learn/leak_rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11
#define DIGITS     ((1u << DIGIT_BITS))
#define PASSES     3
#define SIGN       0x80000000u

/* A row by what its column holds. */
struct leak_placed {
    uint32_t order; /* the number's place among all floats, or the word's id */
    uint32_t row;
};

/* Does it belong to the rows that judge? */
static bool judges(uint32_t row)
{
    return row % 2 == 1;
}

/* Are classes predicted, and not numbers or shares of the second class? */
static bool names_classes(const struct leak_rule *rule)
{
    return rule->classes > 0 && !rule->has_shares;
}

static double label_of(const struct leak_rule *rule, uint32_t row)
{
    return rule->classes > 0 ? rule->part->classes[row] : (double)rule->part->values[row];
}

/* The loss where `label` is predicted. */
static double lost(const struct leak_rule *rule, uint32_t row, double label)
{
    const double off = label_of(rule, row) - label;

    return names_classes(rule) ? off != 0 : off * off;
}

/* ---- room ---- */

void leak_rule_free(struct leak_rule *rule)
{
    if (!rule)
        return;
    free(rule->places[0]);
    free(rule->places[1]);
    free(rule->known);
    free(rule->counts);
    free(rule);
}

struct leak_rule *leak_rule_new(const struct dataset *dataset)
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
    leak_rule_free(rule);
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

void leak_rule_measure_usual(struct leak_rule *rule)
{
    double sum = 0;

    for (uint32_t row = 0; row < rule->rows; row++) {
        if (names_classes(rule))
            rule->counts[rule->part->classes[row]]++;
        else if (judges(row))
            sum += label_of(rule, row);
    }
    rule->usual =
        names_classes(rule) ? most_frequent(rule->counts, rule->classes) : sum / (rule->rows / 2);
    memset(rule->counts, 0, rule->classes * sizeof *rule->counts);
    rule->spread = 0;
    for (uint32_t row = 0; row < rule->rows; row++)
        rule->spread += judges(row) ? lost(rule, row, rule->usual) : 0;
}

void leak_rule_take_shares(struct leak_rule *rule, bool has_shares)
{
    rule->has_shares = has_shares && rule->classes == 2;
    leak_rule_measure_usual(rule);
}

/* ---- the rows in the order of a column ---- */

/* Numbers in their order: of negative ones the greater magnitude is less. */
uint32_t leak_order_of(float number)
{
    uint32_t bits;

    number += 0.0f; /* -0 is 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

double leak_number_of(uint32_t order)
{
    const uint32_t bits = order & SIGN ? order & ~SIGN : ~order;
    float number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

void leak_rule_place(struct leak_rule *rule, uint32_t row, uint32_t order)
{
    rule->places[0][row] = (struct leak_placed){order, row};
}

/* By order, and rows of the same in their order: a digit of the order at a time. */
static void sort_places(struct leak_rule *rule)
{
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        const struct leak_placed *from = rule->places[0];
        struct leak_placed *to = rule->places[1];
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
static double class_of_value(const struct leak_rule *rule, const struct leak_placed *rows,
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

static double mean_of_value(const struct leak_rule *rule, const struct leak_placed *rows,
                            uint32_t count)
{
    double sum = 0;
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!judges(rows[i].row)) {
            sum += label_of(rule, rows[i].row);
            found++;
        }
    return sum / found;
}

/* How many rows of one value make the rule. */
static uint32_t rows_that_make(const struct leak_placed *rows, uint32_t count)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        found += !judges(rows[i].row);
    return found;
}

void leak_rule_learn(struct leak_rule *rule, bool is_words)
{
    uint32_t end;

    rule->is_words = is_words;
    rule->known_count = 0;
    sort_places(rule);
    for (uint32_t first = 0; first < rule->rows; first = end) {
        const struct leak_placed *rows = rule->places[0] + first;
        uint32_t makers;

        end = end_of_value(rule, first);
        makers = rows_that_make(rows, end - first);
        if (makers > 0)
            rule->known[rule->known_count++] =
                (struct leak_known){names_classes(rule) ? class_of_value(rule, rows, end - first)
                                                        : mean_of_value(rule, rows, end - first),
                                    makers, rows->order};
    }
}

static const struct leak_known *known_number(const struct leak_rule *rule, int64_t at)
{
    return at >= 0 && at < rule->known_count && rule->known[at].order != LEAK_ALONE
               ? &rule->known[at]
               : NULL;
}

static struct leak_known usual_of(const struct leak_rule *rule)
{
    return (struct leak_known){.label = rule->usual, .rows = 1};
}

/* The nearer one of the numbers at `low` and `high`. */
static struct leak_known nearer(const struct leak_rule *rule, uint32_t order, int64_t low,
                                int64_t high)
{
    const struct leak_known *below = known_number(rule, low), *above = known_number(rule, high);
    const double number = leak_number_of(order);

    if (!below && !above)
        return usual_of(rule);
    if (!below || !above)
        return below ? *below : *above;
    return number - leak_number_of(below->order) <= leak_number_of(above->order) - number ? *below
                                                                                          : *above;
}

static struct leak_known both(const struct leak_rule *rule, uint32_t order, int64_t low,
                              int64_t high)
{
    const struct leak_known *below = known_number(rule, low), *above = known_number(rule, high);

    if (!below || !above || names_classes(rule))
        return nearer(rule, order, low, high);
    return (struct leak_known){
        .label =
            (below->label * below->rows + above->label * above->rows) / (below->rows + above->rows),
        .rows = below->rows + above->rows,
    };
}

/* at: the last known value that is not greater, where there is one. */
static struct leak_known predicted(const struct leak_rule *rule, enum leak_rule_of of,
                                   uint32_t order, uint32_t at)
{
    const uint32_t near = rule->known[at].order;
    const bool is_next = of == OF_NEXT || of == OF_BOTH_NEXT;
    int64_t low = at, high = (int64_t)at + 1;

    if (near == order && !is_next)
        return rule->known[at];
    if (rule->is_words || order == LEAK_ALONE || of == OF_EQUAL)
        return usual_of(rule);
    if (near > order) {
        high = at;
        low = -1;
    } else if (near == order) {
        low--;
    }
    return of == OF_BOTH_NEXT ? both(rule, order, low, high) : nearer(rule, order, low, high);
}

double leak_rule_left(const struct leak_rule *rule, enum leak_rule_of of, double shrink)
{
    double left = 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < rule->rows; i++) {
        const struct leak_placed *place = &rule->places[0][i];
        struct leak_known by;

        if (!judges(place->row))
            continue;
        while (at + 1 < rule->known_count && rule->known[at + 1].order <= place->order)
            at++;
        by = predicted(rule, of, place->order, at);
        if (shrink > 0 && !names_classes(rule))
            by.label = rule->usual + (by.label - rule->usual) * by.rows / (by.rows + shrink);
        left += lost(rule, place->row, by.label);
    }
    return left / rule->spread;
}

double leak_rule_least_left(const struct leak_rule *rule, enum leak_rule_of of)
{
    static const double shrinks[] = {1, 4, 16};
    double least = leak_rule_left(rule, of, 0);

    for (size_t i = 0; !names_classes(rule) && i < sizeof shrinks / sizeof *shrinks; i++)
        least = fmin(least, leak_rule_left(rule, of, shrinks[i]));
    return least;
}

double leak_rule_auc(const struct leak_rule *rule)
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
