#include "scoring/statistics/other_unit.h"

#include "inputs/encoders.h"
#include "scoring/numbers/elementary.h"

#define FITTING      .1  /* greatest index of converted rows, beside what chance makes */
#define FITTING_NEAR .03 /* the same for a factor that is met by chance */
#define SHARE_LEAST  1e-4
#define DEGREES_MOST                                                                               \
    400                /* in a wider range the zeros of degrees are one, and 1.8 is any growth     \
                        */
#define SHIFT_WIDTHS 2 /* zeros of units lie farther apart than so many times the range */

/* The plainest first. */
static const struct unit units[] = {
    {'/', 100},     {'*', 100},     {'/', 1000},   {'*', 1000},   {'/', 1e6},     {'*', 1e6},
    {'/', 1e9},     {'*', 1e9},     {'/', 10},     {'*', 10},     {'/', 1e4},     {'*', 1e4},
    {'/', 1e5},     {'*', 1e5},     {'-', 273.15}, {'+', 273.15}, {'/', 60},      {'*', 60},
    {'/', 3600},    {'*', 3600},    {'/', 86400},  {'*', 86400},  {'/', 24},      {'*', 24},
    {'/', 1440},    {'*', 1440},    {'/', 1024},   {'*', 1024},   {'/', 1048576}, {'*', 1048576},
    {'/', 2.54},    {'*', 2.54},    {'/', 25.4},   {'*', 25.4},   {'/', 12},      {'*', 12},
    {'/', 0.3048},  {'*', 0.3048},  {'/', 30.48},  {'*', 30.48},  {'/', 2.20462}, {'*', 2.20462},
    {'/', 1.60934}, {'*', 1.60934}, {'C', 1.8},    {'F', 1.8}};
#define UNITS (sizeof units / sizeof *units)
_Static_assert(UNITS <= OTHER_UNIT_UNITS_MAX, "units have counts");

/* Numbers that count days or rows go on behind those of the training, which lie a range below: the
 * range may be the distance of two zeros by chance. */
static bool is_apart(const struct other_unit *counts, const struct unit *unit)
{
    const bool is_shift = unit->sign == '+' || unit->sign == '-';
    const double range = other_unit_high(counts) - other_unit_low(counts);

    if (unit->sign == 'C' || unit->sign == 'F')
        return range <= DEGREES_MOST;
    return !is_shift || unit->by > SHIFT_WIDTHS * range;
}

bool other_unit_init(const struct transform_input *input, const struct input_statistics *then,
                     struct other_unit *counts)
{
    if (input->encoder != &number_encoder || input->spec.offset || input->spec.label ||
        !then->is_number || then->bins < OTHER_UNIT_BINS_MIN)
        return false;
    *counts = (struct other_unit){.then = *then, .has_code = input->has_code, .code = input->code};
    for (uint32_t i = 0; i + 1 < then->bins; i++)
        counts->then.bounds[i] = statistics_number(input, then->bounds[i]);
    return other_unit_high(counts) > other_unit_low(counts);
}

static bool is_outside(const struct other_unit *counts, double number)
{
    return number < other_unit_low(counts) || number > other_unit_high(counts);
}

bool other_unit_may_be(const struct other_unit *counts, const double *deciles, size_t count)
{
    size_t outside = 0;

    for (size_t i = 0; i < count; i++)
        outside += is_outside(counts, deciles[i]);
    return count > 0 && (outside + 1 >= count || deciles[count - 1] > other_unit_far(counts));
}

static double convert(const struct unit *unit, double number)
{
    switch (unit->sign) {
    case '/':
        return number / unit->by;
    case '*':
        return number * unit->by;
    case 'C':
        return (number - 32) / unit->by;
    case 'F':
        return number * unit->by + 32;
    case '+':
        return number + unit->by;
    default:
        return number - unit->by;
    }
}

void other_unit_take(struct other_unit *counts, double number)
{
    const double low = other_unit_low(counts), high = other_unit_high(counts);
    const double reach = OTHER_UNIT_WIDTHS * (high - low);

    if (!isfinite(number) || (counts->has_code && number == counts->code))
        return;
    counts->least = counts->rows == 0 || number < counts->least ? number : counts->least;
    counts->greatest = counts->rows == 0 || number > counts->greatest ? number : counts->greatest;
    counts->rows++;
    counts->outside += is_outside(counts, number);
    counts->below += number < low - reach;
    counts->above += number > other_unit_far(counts);
    if (number <= other_unit_far(counts)) {
        const struct input_value value = {.number = number};

        counts->near[input_statistics_bin(&counts->then, &value)]++;
    }
    for (size_t i = 0; i < UNITS; i++) {
        const struct input_value value = {.number = convert(&units[i], number)};
        const uint32_t bin = input_statistics_bin(&counts->then, &value);

        counts->converted[i][bin]++;
        counts->far[i][bin] += number > other_unit_far(counts);
    }
}

static double share_of(uint64_t part, uint64_t rows)
{
    return (double)part / (double)rows;
}

/* Converted rows, by bins from the first one on. */
struct bins {
    const uint64_t *now;
    uint32_t first;
    uint64_t rows, known; /* rows in these bins, now and in the training */
};

static struct bins bins_of(const struct other_unit *counts, const uint64_t *now, uint32_t first)
{
    struct bins bins = {.now = now, .first = first};

    for (uint32_t i = first; i < counts->then.bins; i++) {
        bins.rows += now[i];
        bins.known += counts->then.counts[i];
    }
    return bins;
}

/* The population stability index. */
static double index_of(const struct other_unit *counts, const struct bins *bins)
{
    const struct input_statistics *then = &counts->then;
    double index = 0;

    for (uint32_t i = bins->first; i < then->bins; i++) {
        const double before = fmax(share_of(then->counts[i], bins->known), SHARE_LEAST);
        const double now = fmax(share_of(bins->now[i], bins->rows), SHARE_LEAST);

        index += (now - before) * logarithm_double(now / before);
    }
    return index;
}

/* The greatest index of rows that have the unit. Chance alone makes (bins - 1)(1 / then + 1 / now)
 * in the mean, and rarely twice as much. */
static double index_most(const struct other_unit *counts, const struct bins *bins,
                         const struct unit *unit)
{
    const double chance = (double)(counts->then.bins - bins->first - 1) *
                          (1 / (double)bins->known + 1 / (double)bins->rows);

    if (unit->by > OTHER_UNIT_NEAR)
        return FITTING + 2 * chance;
    return bins->rows >= OTHER_UNIT_NEAR_ROWS ? FITTING_NEAR + chance : (double)-INFINITY;
}

/* Converts the unit the rows? *least: the least index yet. */
static bool is_better(const struct other_unit *counts, const struct bins *bins,
                      const struct unit *unit, double *least)
{
    const double index = index_of(counts, bins);

    if (index > index_most(counts, bins, unit) || index >= *least || !is_apart(counts, unit))
        return false;
    *least = index;
    return true;
}

static const struct unit *unit_of_all(const struct other_unit *counts)
{
    const struct unit *best = NULL;
    double least = INFINITY;

    for (size_t i = 0; i < UNITS; i++) {
        const struct bins bins = bins_of(counts, counts->converted[i], 0);

        if (is_better(counts, &bins, &units[i], &least))
            best = &units[i];
    }
    return best;
}

/* Rows that lie far above the others have a unit of a factor that chance does not give. Those with
 * it that lie less far up are not told from the others: bins of such are left out. */
static const struct unit *unit_of_part(const struct other_unit *counts)
{
    const struct unit *best = NULL;
    double least = INFINITY;

    if (share_of(counts->above, counts->rows) < OTHER_UNIT_PART)
        return NULL;
    for (size_t i = 0; i < UNITS; i++) {
        const struct input_value end = {.number = convert(&units[i], other_unit_far(counts))};
        const uint32_t first =
            end.number > other_unit_low(counts) ? input_statistics_bin(&counts->then, &end) + 1 : 0;
        struct bins bins;

        if (units[i].sign != '/' || units[i].by < OTHER_UNIT_NEAR ||
            first + OTHER_UNIT_BINS_MIN > counts->then.bins)
            continue;
        bins = bins_of(counts, counts->far[i], first);
        if (bins.rows >= OTHER_UNIT_ROWS_MIN && is_better(counts, &bins, &units[i], &least))
            best = &units[i];
    }
    return best;
}

/* Are the rows that lie less far up those of the training? If all have moved the low ones are
 * fewer. Rows of another unit may be in the greatest bin, which is left out. */
static bool are_others_same(const struct other_unit *counts)
{
    const uint32_t end = counts->then.bins - 1;
    uint64_t known = 0, rows = 0;
    double index = 0;

    for (uint32_t i = 0; i < end; i++) {
        known += counts->then.counts[i];
        rows += counts->near[i];
    }
    if (rows < OTHER_UNIT_ROWS_MIN)
        return false;
    for (uint32_t i = 0; i < end; i++) {
        const double before = fmax(share_of(counts->then.counts[i], known), SHARE_LEAST);
        const double now = fmax(share_of(counts->near[i], rows), SHARE_LEAST);

        index += (now - before) * logarithm_double(now / before);
    }
    return index <= FITTING + 2 * (double)(end - 1) * (1 / (double)known + 1 / (double)rows);
}

enum unit_verdict other_unit_find(const struct other_unit *counts, const struct unit **unit)
{
    *unit = NULL;
    if (counts->rows < OTHER_UNIT_ROWS_MIN)
        return UNIT_SAME;
    if (share_of(counts->outside, counts->rows) < OTHER_UNIT_SHARE) {
        *unit = are_others_same(counts) ? unit_of_part(counts) : NULL;
        return *unit ? UNIT_PART : UNIT_SAME;
    }
    *unit = unit_of_all(counts);
    if (*unit)
        return UNIT_OTHER;
    return share_of(counts->below + counts->above, counts->rows) >= OTHER_UNIT_SHARE ? UNIT_FAR
                                                                                     : UNIT_SAME;
}
