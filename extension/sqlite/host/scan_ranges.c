#include "extension/sqlite/host/scan_ranges.h"

#include <assert.h>

void scan_ranges_init(struct scan_ranges *ranges, uint64_t last, uint32_t readers)
{
    const uint64_t width = last / readers;

    assert(readers >= 1 && readers <= SCAN_READERS_MAX);
    *ranges = (struct scan_ranges){.count = readers};
    pthread_mutex_init(&ranges->lock, NULL);
    pthread_cond_init(&ranges->changed, NULL);
    for (uint32_t i = 0; i < readers; i++) {
        struct scan_range *range = &ranges->ranges[i];
        range->next = i * width + (i > 0); /* behind the one before */
        range->last = i + 1 < readers ? (i + 1) * width : last;
        range->has_more = range->next <= range->last;
        range->step = STRETCH_ROWS;
    }
}

void scan_ranges_deinit(struct scan_ranges *ranges)
{
    pthread_cond_destroy(&ranges->changed);
    pthread_mutex_destroy(&ranges->lock);
}

/* The farther half of what is left to the reader with the most, the last position included. */
static void steal(struct scan_ranges *ranges, struct scan_range *thief)
{
    struct scan_range *victim = NULL;

    for (uint32_t i = 0; i < ranges->count; i++) {
        struct scan_range *range = &ranges->ranges[i];
        if (range->has_more && (!victim || range->last - range->next > victim->last - victim->next))
            victim = range;
    }
    if (!victim)
        return;
    thief->last = victim->last;
    thief->next = victim->last - (victim->last - victim->next) / 2;
    thief->has_more = true;
    victim->has_more = thief->next > victim->next;
    victim->last = thief->next - victim->has_more;
}

static bool is_anybody_reading(const struct scan_ranges *ranges)
{
    for (uint32_t i = 0; i < ranges->count; i++)
        if (ranges->ranges[i].is_reading)
            return true;
    return false;
}

/* With the ranges locked. */
static enum claim claim(struct scan_ranges *ranges, uint32_t reader, struct stretch *stretch)
{
    struct scan_range *range = &ranges->ranges[reader];
    bool is_rest;

    if (ranges->is_stopped)
        return CLAIM_END;
    if (!range->has_more)
        steal(ranges, range);
    if (!range->has_more)
        return is_anybody_reading(ranges) ? CLAIM_WAIT : CLAIM_END;
    is_rest = range->last - range->next < range->step;
    stretch->first = range->next;
    stretch->last = is_rest ? range->last : range->next + range->step - 1;
    range->has_more = !is_rest;
    range->next = is_rest ? range->next : stretch->last + 1;
    range->is_reading = true;
    return CLAIM_STRETCH;
}

enum claim scan_ranges_try(struct scan_ranges *ranges, uint32_t reader, struct stretch *stretch)
{
    enum claim claimed;

    pthread_mutex_lock(&ranges->lock);
    claimed = claim(ranges, reader, stretch);
    pthread_mutex_unlock(&ranges->lock);
    return claimed;
}

bool scan_ranges_claim(struct scan_ranges *ranges, uint32_t reader, struct stretch *stretch)
{
    enum claim claimed;

    pthread_mutex_lock(&ranges->lock);
    while ((claimed = claim(ranges, reader, stretch)) == CLAIM_WAIT)
        pthread_cond_wait(&ranges->changed, &ranges->lock);
    pthread_mutex_unlock(&ranges->lock);
    return claimed == CLAIM_STRETCH;
}

/* No other reader takes from the near end: the rest lies right before what is left. */
static void give_back(struct scan_range *range, const struct stretch *stretch, uint64_t at)
{
    if (!range->has_more)
        range->last = stretch->last;
    range->next = at + 1;
    range->has_more = true;
}

void scan_ranges_finish(struct scan_ranges *ranges, uint32_t reader, const struct stretch *stretch,
                        uint64_t rows, uint64_t at)
{
    struct scan_range *range = &ranges->ranges[reader];

    pthread_mutex_lock(&ranges->lock);
    if (at < stretch->last) {
        give_back(range, stretch, at);
        range->step = (at - stretch->first) / (rows / STRETCH_ROWS + 1) + 1;
    } else if (rows < STRETCH_ROWS / 2) {
        range->step = range->step < UINT64_MAX / 4 ? 4 * range->step : UINT64_MAX;
    } else if (rows > 2 * STRETCH_ROWS) {
        range->step = range->step / 2 + 1;
    }
    range->is_reading = false;
    pthread_cond_broadcast(&ranges->changed);
    pthread_mutex_unlock(&ranges->lock);
}

void scan_ranges_stop(struct scan_ranges *ranges)
{
    pthread_mutex_lock(&ranges->lock);
    ranges->is_stopped = true;
    pthread_cond_broadcast(&ranges->changed);
    pthread_mutex_unlock(&ranges->lock);
}
