/*
 * group.h - the workers that compute together until one joins or leaves.
 *
 * Every change of membership makes a new group with a higher epoch. Members
 * are ranked; each has a run of consecutive lanes (lanes.h), and the vector of a phase is cut into
 * segments, each of which one member adds up for all (sums.h).
 */
#pragma once

#include "runtime/net/message.h"
#include "runtime/train/lanes.h"

struct member {
    uint32_t index, first_lane, lane_count;
    char address[MESSAGE_ADDRESS_MAX + 1];
};

struct group {
    uint64_t epoch; /* 0: none yet */
    uint32_t rank;  /* rank of the worker that holds this struct */
    uint32_t count;
    struct member *members; /* by rank */
    uint32_t capacity;
};

void group_deinit(struct group *group);
/* Room for `count` members, their contents undefined. */
enum status group_resize(struct group *group, uint32_t count, struct error *err);
/* From a GROUP message, as the worker `index`; checked against the job's lanes. */
enum status group_read(struct group *group, const struct message *message, uint32_t index,
                       uint32_t lanes, struct error *err);
