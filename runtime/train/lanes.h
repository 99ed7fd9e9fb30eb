/*
 * lanes.h - how many lanes each member of a group is given.
 *
 * A step takes as long as its slowest member: lanes / speed of that one. With
 * equal speeds each has the same number, or one more; a member that was measured to be slower has
 * fewer, and none where even one would hold up the step by more than LANES_GAIN_LEAST.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Another distribution is worth a change of the group when it saves this share of the time:
 * two measurements of the same speed differ by some percent. */
#define LANES_GAIN_LEAST 0.10

/* A share of `total` things for each of `count` members, differing by one at most. */
struct share {
    uint32_t first, count;
};
struct share share_of(uint32_t total, uint32_t count, uint32_t rank);

/*
 * The distribution that ends first, of those in which each member has `least` lanes (0 or 1) or
 * more. `speeds` in lanes per any unit of time, above 0;
 * 1 <= count <= lanes. O(count).
 */
void lanes_deal(uint32_t lanes, const double *speeds, uint32_t count, uint32_t least,
                uint32_t *counts);

/* The time of a step, in that unit. */
double lanes_time(const double *speeds, const uint32_t *counts, uint32_t count);

/* Equal shares, unless the speeds differ so much that others are worth it. With `least` 0 the same
 * holds for leaving a member without a lane. */
void lanes_deal_fairly(uint32_t lanes, const double *speeds, uint32_t count, uint32_t least,
                       uint32_t *counts);
