#include "scoring/metrics/timed_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/numbers/elementary.h"

#define OUTPUT_MOST 40 /* hazards of e^40 and more say no more than that */

/* A bound of a row, with the place of its output among all outputs. */
struct timed_place {
    double bound;
    bool is_seen; /* the event was */
    size_t place;
};

void timed_rows_deinit(struct timed_rows *timed)
{
    free(timed->rows);
    free(timed->ends);
    free(timed->begins);
    free(timed->sums);
    *timed = (struct timed_rows){.count = 0};
}

static bool grow(void **array, size_t count, size_t size)
{
    void *grown = realloc(*array, count * size);

    if (grown)
        *array = grown;
    return grown != NULL;
}

static enum status make_room(struct timed_rows *timed, struct error *err)
{
    const size_t capacity = timed->capacity ? 2 * timed->capacity : 1024;

    if (capacity > TIMED_ROWS_MAX)
        return fail(err, STATUS_LIMIT, "at most %zu rows of survival can be compared",
                    TIMED_ROWS_MAX);
    if (!grow((void **)&timed->rows, capacity, sizeof *timed->rows) ||
        !grow((void **)&timed->ends, capacity, sizeof *timed->ends) ||
        !grow((void **)&timed->begins, capacity, sizeof *timed->begins) ||
        !grow((void **)&timed->sums, capacity + 1, sizeof *timed->sums))
        return fail_no_memory(err);
    timed->capacity = capacity;
    return STATUS_OK;
}

enum status timed_rows_add(struct timed_rows *timed, struct timed_row row, struct error *err)
{
    if (timed->count == timed->capacity)
        TRY(make_room(timed, err));
    timed->rows[timed->count++] = row;
    return STATUS_OK;
}

/* ---- concordance ---- */

/* Fenwick's tree of sums: how many rows that were added have each place. */
static void count_place(struct timed_rows *timed, size_t place)
{
    for (size_t i = place + 1; i <= timed->count; i += i & -i)
        timed->sums[i]++;
}

static uint64_t rows_below(const struct timed_rows *timed, size_t place)
{
    uint64_t sum = 0;

    for (size_t i = place; i > 0; i -= i & -i)
        sum += timed->sums[i];
    return sum;
}

static int by_output(const void *a, const void *b)
{
    const struct timed_row *x = a, *y = b;

    return (x->output > y->output) - (x->output < y->output);
}

/* A row that ends at a time comes before one that begins then, if its event was seen and the
 * other's not. */
static int by_end(const void *a, const void *b)
{
    const struct timed_place *x = a, *y = b;

    if (x->bound != y->bound)
        return x->bound < y->bound ? -1 : 1;
    return (int)y->is_seen - (int)x->is_seen;
}

static bool comes_first(const struct timed_place *end, const struct timed_place *begin)
{
    return end->bound < begin->bound ||
           (end->bound == begin->bound && end->is_seen && !begin->is_seen);
}

/* By their bounds: those of finite upper ones, whose number is returned, and all of them. */
static size_t place_rows(struct timed_rows *timed)
{
    size_t ends = 0, place = 0;

    qsort(timed->rows, timed->count, sizeof *timed->rows, by_output);
    for (size_t i = 0; i < timed->count; i++) {
        const struct timed_row *row = &timed->rows[i];
        const bool is_seen = row->lower == row->upper;

        place += i > 0 && row->output > timed->rows[i - 1].output;
        timed->begins[i] = (struct timed_place){row->lower, is_seen, place};
        if (isfinite(row->upper))
            timed->ends[ends++] = (struct timed_place){row->upper, is_seen, place};
    }
    qsort(timed->ends, ends, sizeof *timed->ends, by_end);
    qsort(timed->begins, timed->count, sizeof *timed->begins, by_end);
    return ends;
}

/* For each row those that surely come before it. */
double timed_rows_concordance(struct timed_rows *timed)
{
    double right = 0, pairs = 0; /* halves add up exactly below 2^52 */
    size_t ends, ended = 0;

    if (timed->count == 0)
        return NAN;
    ends = place_rows(timed);
    memset(timed->sums, 0, (timed->count + 1) * sizeof *timed->sums);
    for (size_t i = 0; i < timed->count; i++) {
        const struct timed_place *begin = &timed->begins[i];
        uint64_t below, upto;

        for (; ended < ends && comes_first(&timed->ends[ended], begin); ended++)
            count_place(timed, timed->ends[ended].place);
        below = rows_below(timed, begin->place);
        upto = rows_below(timed, begin->place + 1);
        right += (double)below + 0.5 * (double)(upto - below);
        pairs += (double)ended;
    }
    return pairs > 0 ? right / pairs : NAN;
}

/* ---- Cox's loss ---- */

static int by_time_from_last(const void *a, const void *b)
{
    const struct timed_row *x = a, *y = b;

    if (x->lower != y->lower)
        return x->lower > y->lower ? -1 : 1;
    return by_output(a, b);
}

static double hazard_of(const struct timed_row *row)
{
    const double most = OUTPUT_MOST, output = -row->output;

    return output < -most ? -most : output > most ? most : output;
}

double timed_rows_cox(struct timed_rows *timed)
{
    double risk = 0, loss = 0;
    uint64_t events = 0;

    if (timed->count == 0)
        return NAN;
    qsort(timed->rows, timed->count, sizeof *timed->rows, by_time_from_last);
    for (size_t first = 0, end; first < timed->count; first = end) {
        for (end = first; end < timed->count && timed->rows[end].lower == timed->rows[first].lower;
             end++)
            risk += exponential_double(hazard_of(&timed->rows[end]));
        for (size_t i = first; i < end; i++) {
            if (timed->rows[i].lower != timed->rows[i].upper)
                continue;
            loss += logarithm_double(risk) - hazard_of(&timed->rows[i]);
            events++;
        }
    }
    return events > 0 ? loss / (double)events : NAN;
}
