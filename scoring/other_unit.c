#include "scoring/other_unit.h"

#include "inputs/encoders.h"

#define FITTING_INSIDE                                                                             \
    .6                    /* share of converted rows from low to high; of the training's it is .8  \
                           */
#define FITTING_LOWER .25 /* least share below the middle, and above it */
#define TIE           .1  /* share of rows by which a rarer unit must fit better */

/* The plainest first. */
static const struct unit units[] = {
    {'/', 100},     {'*', 100},    {'/', 1000},   {'*', 1000},   {'/', 1e6},     {'*', 1e6},
    {'/', 1e9},     {'*', 1e9},    {'/', 10},     {'*', 10},     {'/', 1e4},     {'*', 1e4},
    {'/', 1e5},     {'*', 1e5},    {'-', 273.15}, {'+', 273.15}, {'/', 60},      {'*', 60},
    {'/', 3600},    {'*', 3600},   {'/', 86400},  {'*', 86400},  {'/', 24},      {'*', 24},
    {'/', 1440},    {'*', 1440},   {'/', 1024},   {'*', 1024},   {'/', 1048576}, {'*', 1048576},
    {'/', 2.54},    {'*', 2.54},   {'/', 25.4},   {'*', 25.4},   {'/', 12},      {'*', 12},
    {'/', 0.3048},  {'*', 0.3048}, {'/', 30.48},  {'*', 30.48},  {'/', 2.20462}, {'*', 2.20462},
    {'/', 1.60934}, {'*', 1.60934}};
#define UNITS (sizeof units / sizeof *units)
_Static_assert(UNITS <= OTHER_UNIT_UNITS_MAX, "units have counts");

bool other_unit_init(const struct transform_input *input, const struct input_statistics *then,
                     struct other_unit *counts)
{
    if (input->encoder != &number_encoder || input->spec.offset || input->spec.label ||
        !then->is_number || then->bins < OTHER_UNIT_BINS_MIN)
        return false;
    *counts = (struct other_unit){.low = statistics_number(input, then->bounds[0]),
                                  .middle = then->median,
                                  .high = statistics_number(input, then->bounds[then->bins - 2]),
                                  .has_code = input->has_code,
                                  .code = input->code};
    return counts->high > counts->low;
}

static bool is_outside(const struct other_unit *counts, double number)
{
    return number < counts->low || number > counts->high;
}

bool other_unit_may_be(const struct other_unit *counts, const double *deciles, size_t count)
{
    size_t outside = 0;

    for (size_t i = 0; i < count; i++)
        outside += is_outside(counts, deciles[i]);
    return count > 0 && outside + 1 >= count;
}

static double convert(const struct unit *unit, double number)
{
    switch (unit->sign) {
    case '/':
        return number / unit->by;
    case '*':
        return number * unit->by;
    case '+':
        return number + unit->by;
    default:
        return number - unit->by;
    }
}

void other_unit_take(struct other_unit *counts, double number)
{
    const double reach = OTHER_UNIT_WIDTHS * (counts->high - counts->low);

    if (!isfinite(number) || (counts->has_code && number == counts->code))
        return;
    counts->least = counts->rows == 0 || number < counts->least ? number : counts->least;
    counts->greatest = counts->rows == 0 || number > counts->greatest ? number : counts->greatest;
    counts->rows++;
    counts->outside += is_outside(counts, number);
    counts->below += number < counts->low - reach;
    counts->above += number > counts->high + reach;
    for (size_t i = 0; i < UNITS; i++) {
        const double converted = convert(&units[i], number);

        counts->inside[i] += !is_outside(counts, converted);
        counts->lower[i] += converted < counts->middle;
    }
}

static double share_of(uint64_t part, const struct other_unit *counts)
{
    return (double)part / (double)counts->rows;
}

static bool fits(const struct other_unit *counts, size_t i)
{
    const double lower = share_of(counts->lower[i], counts);

    return share_of(counts->inside[i], counts) >= FITTING_INSIDE && lower >= FITTING_LOWER &&
           lower <= 1 - FITTING_LOWER;
}

enum unit_verdict other_unit_find(const struct other_unit *counts, const struct unit **unit)
{
    uint64_t most = 0;

    if (counts->rows < OTHER_UNIT_ROWS_MIN || share_of(counts->outside, counts) < OTHER_UNIT_SHARE)
        return UNIT_SAME;
    for (size_t i = 0; i < UNITS; i++)
        if (fits(counts, i) && counts->inside[i] > most)
            most = counts->inside[i];
    for (size_t i = 0; i < UNITS && most > 0; i++)
        if (fits(counts, i) && share_of(most - counts->inside[i], counts) <= TIE) {
            *unit = &units[i];
            return UNIT_OTHER;
        }
    return share_of(counts->below + counts->above, counts) >= OTHER_UNIT_SHARE ? UNIT_FAR
                                                                               : UNIT_SAME;
}
