#include "scoring/metrics/ranking.h"

#include <math.h>
#include <stdlib.h>

#include "scoring/numbers/elementary.h"

#define RADIX_LEAST 4096 /* fewer are sorted by comparing them */
#define RADIX_BITS  8
#define RADIX       (1u << RADIX_BITS)

void ranking_deinit(struct ranking *ranking)
{
    free(ranking->scores[0].values);
    free(ranking->scores[1].values);
    *ranking = (struct ranking){.is_sorted = false};
}

void ranking_clear(struct ranking *ranking)
{
    ranking->scores[0].count = ranking->scores[1].count = 0;
    ranking->is_sorted = false;
}

static enum status make_room(struct ranked_scores *scores, size_t capacity, struct error *err)
{
    float *values;

    if (capacity > RANKING_ROWS_MAX)
        return fail(err, STATUS_LIMIT, "at most %zu rows of one class can be ranked",
                    RANKING_ROWS_MAX);
    values = realloc(scores->values, capacity * sizeof *values);
    if (!values)
        return fail_no_memory(err);
    scores->values = values;
    scores->capacity = capacity;
    return STATUS_OK;
}

enum status ranking_reserve(struct ranking *ranking, size_t rows, struct error *err)
{
    for (int i = 0; i < 2; i++)
        if (ranking->scores[i].capacity < rows)
            TRY(make_room(&ranking->scores[i], rows, err));
    return STATUS_OK;
}

enum status ranking_add(struct ranking *ranking, bool is_positive, float score, struct error *err)
{
    struct ranked_scores *scores = &ranking->scores[is_positive];

    if (scores->count == scores->capacity)
        TRY(make_room(scores, scores->capacity ? 2 * scores->capacity : 1024, err));
    scores->values[scores->count++] = isnan(score) ? -INFINITY : score;
    ranking->is_sorted = false;
    return STATUS_OK;
}

static int compare_scores(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* In the order of the floats. */
static uint32_t order_of(float score)
{
    const uint32_t bits = bits_of(score);

    return bits >> 31 ? ~bits : bits | 1u << 31;
}

static void sort_by_digit(const float *from, float *to, size_t count, int shift)
{
    size_t places[RADIX] = {0}, next = 0;

    for (size_t i = 0; i < count; i++)
        places[order_of(from[i]) >> shift & (RADIX - 1)]++;
    for (size_t digit = 0; digit < RADIX; digit++) {
        const size_t first = next;

        next += places[digit];
        places[digit] = first;
    }
    for (size_t i = 0; i < count; i++)
        to[places[order_of(from[i]) >> shift & (RADIX - 1)]++] = from[i];
}

static void sort_scores(struct ranked_scores *scores)
{
    float *space = scores->count < RADIX_LEAST ? NULL : malloc(scores->count * sizeof *space);

    for (int shift = 0; space && shift < 32; shift += 2 * RADIX_BITS) {
        sort_by_digit(scores->values, space, scores->count, shift);
        sort_by_digit(space, scores->values, scores->count, shift + RADIX_BITS);
    }
    if (!space && scores->count > 0)
        qsort(scores->values, scores->count, sizeof(float), compare_scores);
    free(space);
}

static void sort(struct ranking *ranking)
{
    for (int i = 0; i < 2 && !ranking->is_sorted; i++)
        sort_scores(&ranking->scores[i]);
    ranking->is_sorted = true;
}

double ranking_auc(struct ranking *ranking)
{
    const struct ranked_scores *negatives = &ranking->scores[0], *positives = &ranking->scores[1];
    double wins = 0; /* halves add up exactly below 2^52 */
    size_t below = 0, upto = 0;

    if (negatives->count == 0 || positives->count == 0)
        return NAN;
    sort(ranking);
    for (size_t i = 0; i < positives->count; i++) {
        const float score = positives->values[i];

        while (below < negatives->count && negatives->values[below] < score)
            below++;
        upto = upto < below ? below : upto;
        while (upto < negatives->count && negatives->values[upto] == score)
            upto++;
        wins += (double)below + 0.5 * (double)(upto - below);
    }
    return wins / ((double)negatives->count * (double)positives->count);
}

/* The greatest score that is not counted yet. */
static bool next_of(const struct ranked_scores *scores, uint64_t counted, float *score)
{
    if (counted == scores->count)
        return false;
    *score = scores->values[scores->count - 1 - counted];
    return true;
}

bool ranking_next(struct ranking *ranking, struct ranking_point *point)
{
    uint64_t *const counted[] = {&point->negatives, &point->positives};
    float next[2], score = -INFINITY;
    bool is_there[2];

    sort(ranking);
    for (int i = 0; i < 2; i++) {
        is_there[i] = next_of(&ranking->scores[i], *counted[i], &next[i]);
        if (is_there[i] && next[i] > score)
            score = next[i];
    }
    if (!is_there[0] && !is_there[1])
        return false;
    for (int i = 0; i < 2; i++)
        while (next_of(&ranking->scores[i], *counted[i], &next[i]) && next[i] == score)
            ++*counted[i];
    point->score = score;
    return true;
}

double ranking_average_precision(struct ranking *ranking)
{
    const double positives = (double)ranking->scores[1].count;
    struct ranking_point point = {0};
    double sum = 0;

    if (positives == 0)
        return NAN;
    for (uint64_t before = 0; ranking_next(ranking, &point); before = point.positives)
        sum += (double)(point.positives - before) / positives *
               ((double)point.positives / (double)(point.positives + point.negatives));
    return sum;
}
