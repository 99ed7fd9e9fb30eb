#include "runtime/learn/descent/step_shares.h"

#include <stdbool.h>

/* Row i of a lane of n rows stands at (2 i + 1) / (2 n). */
struct standing {
    uint64_t odd; /* 2 i + 1 */
    uint32_t rows, lane;
};

static bool comes_before(const struct standing *a, const struct standing *b)
{
    const uint64_t x = a->odd * b->rows, y = b->odd * a->rows; /* below 2^63 */

    return x != y ? x < y : a->lane < b->lane;
}

/* The first row that is not taken. False: there is none. */
static bool find_next(const uint32_t *rows, uint32_t lanes, const uint32_t *taken,
                      struct standing *next)
{
    bool has_one = false;

    *next = (struct standing){0, 0, 0};
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const struct standing row = {2ull * taken[lane] + 1, rows[lane], lane};

        if (taken[lane] == rows[lane] || (has_one && comes_before(next, &row)))
            continue;
        *next = row;
        has_one = true;
    }
    return has_one;
}

/* The last row that is taken. False: there is none. */
static bool find_last(const uint32_t *rows, uint32_t lanes, const uint32_t *taken,
                      struct standing *last)
{
    bool has_one = false;

    *last = (struct standing){0, 0, 0};
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const struct standing row = {2ull * taken[lane] - 1, rows[lane], lane};

        if (taken[lane] == 0 || (has_one && comes_before(&row, last)))
            continue;
        *last = row;
        has_one = true;
    }
    return has_one;
}

/* About right, whatever the rounding: the rest is exact. */
static uint64_t guess(const uint32_t *rows, uint32_t lanes, double share, uint32_t *taken)
{
    uint64_t sum = 0;

    for (uint32_t lane = 0; lane < lanes; lane++) {
        const double near = (double)rows[lane] * share + 0.5;

        taken[lane] = near < (double)rows[lane] ? (uint32_t)near : rows[lane];
        sum += taken[lane];
    }
    return sum;
}

void step_shares_at(const uint32_t *rows, uint32_t lanes, uint64_t all, uint64_t position,
                    uint32_t *taken)
{
    uint64_t sum = guess(rows, lanes, all ? (double)position / (double)all : 0, taken);
    struct standing next, last;

    for (; sum < position && find_next(rows, lanes, taken, &next); sum++)
        taken[next.lane]++;
    for (; sum > position && find_last(rows, lanes, taken, &last); sum--)
        taken[last.lane]--;
    while (find_next(rows, lanes, taken, &next) && find_last(rows, lanes, taken, &last) &&
           comes_before(&next, &last)) {
        taken[next.lane]++;
        taken[last.lane]--;
    }
}
