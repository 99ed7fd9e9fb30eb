#include "runtime/train/lanes.h"

#include <assert.h>

#define HALVINGS 60 /* halvings of the interval in which the time lies: beyond the last bit */

struct share share_of(uint32_t total, uint32_t count, uint32_t rank)
{
    uint32_t first = (uint32_t)((uint64_t)rank * total / count);
    uint32_t end = (uint32_t)(((uint64_t)rank + 1) * total / count);

    return (struct share){first, end - first};
}

/* The lanes that one member computes in that time. */
static uint32_t lanes_in(double time, double speed, uint32_t least, uint32_t most)
{
    double lanes = time * speed;

    return lanes < least ? least : lanes > most ? most : (uint32_t)lanes;
}

static uint64_t all_in(double time, const double *speeds, uint32_t count, uint32_t least,
                       uint32_t most)
{
    uint64_t lanes = 0;

    for (uint32_t i = 0; i < count; i++)
        lanes += lanes_in(time, speeds[i], least, most);
    return lanes;
}

/* The least time in which all lanes can be done lies in (*low, *high]. */
static void find_time(uint32_t lanes, const double *speeds, uint32_t count, uint32_t least,
                      double *low, double *high)
{
    double speed = 0;

    for (uint32_t i = 0; i < count; i++)
        speed += speeds[i];
    *low = 0;
    *high = ((double)lanes + count) / speed; /* each rounds down by less than one */
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (*low + *high) / 2;

        if (all_in(middle, speeds, count, least, lanes) < lanes)
            *low = middle;
        else
            *high = middle;
    }
}

void lanes_deal(uint32_t lanes, const double *speeds, uint32_t count, uint32_t least,
                uint32_t *counts)
{
    double low, high;
    uint32_t left = lanes;

    assert(count > 0 && count <= lanes);
    find_time(lanes, speeds, count, least, &low, &high);
    for (uint32_t i = 0; i < count; i++) {
        counts[i] = lanes_in(low, speeds[i], least, lanes);
        left -= counts[i];
    }
    /* Members that end their next lane at that very time get the lanes that are left. */
    for (uint32_t i = 0; i < count && left > 0; i++) {
        uint32_t more = lanes_in(high, speeds[i], least, lanes) - counts[i];

        more = more < left ? more : left;
        counts[i] += more;
        left -= more;
    }
    counts[0] += left;
}

double lanes_time(const double *speeds, const uint32_t *counts, uint32_t count)
{
    double longest = 0;

    for (uint32_t i = 0; i < count; i++)
        if (counts[i] / speeds[i] > longest)
            longest = counts[i] / speeds[i];
    return longest;
}

static double time_of_even(uint32_t lanes, const double *speeds, uint32_t count)
{
    double even = 0;

    for (uint32_t i = 0; i < count; i++) {
        double time = share_of(lanes, count, i).count / speeds[i];
        even = time > even ? time : even;
    }
    return even;
}

void lanes_deal_fairly(uint32_t lanes, const double *speeds, uint32_t count, uint32_t least,
                       uint32_t *counts)
{
    const double even = time_of_even(lanes, speeds, count);
    double all;

    lanes_deal(lanes, speeds, count, 1, counts);
    all = lanes_time(speeds, counts, count);
    if (least == 0) {
        lanes_deal(lanes, speeds, count, 0, counts);
        if (lanes_time(speeds, counts, count) <= all * (1 - LANES_GAIN_LEAST))
            return;
        lanes_deal(lanes, speeds, count, 1, counts);
    }
    if (all <= even * (1 - LANES_GAIN_LEAST))
        return;
    for (uint32_t i = 0; i < count; i++)
        counts[i] = share_of(lanes, count, i).count;
}
