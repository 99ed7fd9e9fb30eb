#include "runtime/train/lanes_move.h"

#include <stdlib.h>

#define NEARLY 1e-9 /* relative: what rounding makes of equal times */

/* Times of a step that are looked at, in those of the fairest dealing: the longer it may take, the
 * fewer lanes must move. */
static const double ladder[] = {1, 1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5, 3};
#define RUNGS (sizeof ladder / sizeof *ladder)

/* ---- what a dealing costs ---- */

static uint32_t in_common(const struct share *had, uint32_t first, uint32_t count)
{
    const uint32_t from = had->first > first ? had->first : first;
    const uint32_t had_end = had->first + had->count, own_end = first + count;
    const uint32_t to = had_end < own_end ? had_end : own_end;

    return to > from ? to - from : 0;
}

uint32_t lanes_moved(const struct lanes_group *group, const uint32_t *counts)
{
    uint32_t moved = 0, first = 0;

    for (uint32_t rank = 0; rank < group->count; rank++) {
        moved += counts[rank] - in_common(&group->had[rank], first, counts[rank]);
        first += counts[rank];
    }
    return moved;
}

/* ---- the fewest moves within a time ---- */

/* The members' lanes as a path: after each member, how many lanes are dealt. */
struct search {
    const struct lanes_group *group;
    const uint32_t *fairest;
    uint32_t *most;         /* (members): lanes that each can do in the time */
    uint32_t *low, *high;   /* (members + 1): lanes that can be dealt before each */
    uint64_t *costs, *next; /* (lanes + 1): costs of the best path to so many lanes */
    uint32_t *chosen;       /* (members, lanes + 1): lanes of the member on that path */
};

static enum status search_init(struct search *search, const struct lanes_group *group,
                               const uint32_t *fairest, struct error *err)
{
    const size_t count = group->count, places = group->lanes + (size_t)1;

    *search = (struct search){.group = group, .fairest = fairest};
    search->most = calloc(count, sizeof *search->most);
    search->low = calloc(count + 1, sizeof *search->low);
    search->high = calloc(count + 1, sizeof *search->high);
    search->costs = calloc(places, sizeof *search->costs);
    search->next = calloc(places, sizeof *search->next);
    search->chosen = calloc(count * places, sizeof *search->chosen);
    return search->most && search->low && search->high && search->costs && search->next &&
                   search->chosen
               ? STATUS_OK
               : fail_no_memory(err);
}

static void search_deinit(struct search *search)
{
    free(search->most);
    free(search->low);
    free(search->high);
    free(search->costs);
    free(search->next);
    free(search->chosen);
}

/* Members before a rank have at least so many lanes and at most so many, as those from it on. */
static void find_limits(struct search *search, double time, uint32_t least)
{
    const uint32_t lanes = search->group->lanes, count = search->group->count;

    search->low[0] = search->high[0] = 0;
    for (uint32_t rank = 0; rank < count; rank++) {
        const double done = time * search->group->speeds[rank] * (1 + NEARLY);
        const uint32_t most = done < lanes ? (uint32_t)done : lanes;
        const uint64_t high = (uint64_t)search->high[rank] + (most > least ? most : least);

        search->most[rank] = most > least ? most : least;
        search->high[rank + 1] = high < lanes ? (uint32_t)high : lanes;
        search->low[rank + 1] = search->low[rank] + least;
    }
    search->low[count] = lanes;
    for (uint32_t rank = count; rank-- > 0;) {
        const uint32_t most = search->most[rank], after = search->low[rank + 1];

        if (after > most && after - most > search->low[rank])
            search->low[rank] = after - most;
    }
}

/* The cost of a share: its moves first, then its distance to the fairest. */
static uint64_t cost_of(const struct search *search, uint32_t rank, uint32_t first, uint32_t count)
{
    const uint64_t lanes = search->group->lanes;
    const uint64_t moved = count - in_common(&search->group->had[rank], first, count);
    const uint64_t fair = search->fairest[rank];
    const uint64_t distance = count > fair ? count - fair : fair - count;

    return moved * (lanes * lanes + 1) + distance * distance;
}

static void try_counts(struct search *search, uint32_t rank, uint32_t first, uint32_t least)
{
    uint32_t *chosen = search->chosen + rank * (search->group->lanes + (size_t)1);

    for (uint32_t count = least; count <= search->most[rank]; count++) {
        const uint32_t end = first + count;
        uint64_t cost;

        if (end > search->high[rank + 1])
            return;
        cost = search->costs[first] + cost_of(search, rank, first, count);
        if (end >= search->low[rank + 1] && cost < search->next[end]) {
            search->next[end] = cost;
            chosen[end] = count;
        }
    }
}

/* False: they cannot all be done in the time. */
static bool find_fewest(struct search *search, double time, uint32_t least, uint32_t *counts)
{
    const uint32_t lanes = search->group->lanes, count = search->group->count;
    uint32_t at = lanes;

    find_limits(search, time, least);
    for (uint32_t place = 0; place <= lanes; place++)
        search->costs[place] = place == 0 ? 0 : UINT64_MAX;
    for (uint32_t rank = 0; rank < count; rank++) {
        uint64_t *made = search->next;

        for (uint32_t place = 0; place <= lanes; place++)
            made[place] = UINT64_MAX;
        for (uint32_t first = search->low[rank]; first <= search->high[rank]; first++)
            if (search->costs[first] != UINT64_MAX)
                try_counts(search, rank, first, least);
        search->next = search->costs;
        search->costs = made;
    }
    if (search->costs[lanes] == UINT64_MAX)
        return false;
    for (uint32_t rank = count; rank-- > 0; at -= counts[rank])
        counts[rank] = search->chosen[rank * (lanes + (size_t)1) + at];
    return true;
}

/* ---- the least time together ---- */

static uint32_t least_of(const uint32_t *counts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (counts[i] == 0)
            return 0;
    return 1;
}

static void choose(struct search *search, double price, uint32_t *counts, uint32_t *tried)
{
    const struct lanes_group *group = search->group;
    const double fairest = lanes_time(group->speeds, search->fairest, group->count);
    const uint32_t least = least_of(search->fairest, group->count);
    double best = 0;

    for (size_t rung = 0; rung < (price > 0 ? RUNGS : 1); rung++) {
        double cost;

        if (rung > 0 && ladder[rung] * fairest >= best)
            return; /* nor is any slower one better */
        if (!find_fewest(search, ladder[rung] * fairest, least, tried))
            continue;
        cost = lanes_time(group->speeds, tried, group->count) +
               price * fairest * lanes_moved(group, tried);
        if (best > 0 && cost >= best)
            continue;
        best = cost;
        for (uint32_t rank = 0; rank < group->count; rank++)
            counts[rank] = tried[rank];
    }
}

enum status lanes_settle(const struct lanes_group *group, double price, uint32_t *counts,
                         struct error *err)
{
    uint32_t *fairest = calloc(2 * (size_t)group->count, sizeof *fairest);
    struct search search = {.group = NULL};
    enum status status;

    if (!fairest)
        return fail_no_memory(err);
    lanes_deal_fairly(group->lanes, group->speeds, group->count, group->least, fairest);
    for (uint32_t rank = 0; rank < group->count; rank++)
        counts[rank] = fairest[rank];
    status = search_init(&search, group, fairest, err);
    if (status == STATUS_OK)
        choose(&search, price, counts, fairest + group->count);
    search_deinit(&search);
    free(fairest);
    return status;
}

/* ---- when ---- */

bool lanes_should_move(const struct lanes_case *about)
{
    const double lost_ms = about->gain * about->known_ms;
    double enough_ms = LANES_EVIDENCE * about->move_ms;

    if (about->gain < LANES_GAIN_LEAST || about->gain * about->left_ms <= about->move_ms)
        return false;
    if (about->gain >= LANES_GAIN_SLOW && enough_ms > LANES_EVIDENCE_SLOW_MS)
        enough_ms = LANES_EVIDENCE_SLOW_MS;
    return lost_ms >= enough_ms;
}
