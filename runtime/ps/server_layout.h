/*
 * server_layout.h - which parameter server has which rows: the first `serving` servers have equal
 * parts of the buckets of each table, in order.
 *
 *     bucket   0        256        512        768     1023
 *     2        [ server 0          |  server 1           ]
 *     4        [ 0      | 1        |  2       | 3        ]
 *
 * A job has one layout at a time. Their ids rise; that of a job which was never given another
 * number of servers is 0.
 */
#ifndef RUNTIME_PS_SERVER_LAYOUT_H
#define RUNTIME_PS_SERVER_LAYOUT_H

#include "runtime/ps/row_bucket.h"

struct server_layout {
    uint64_t id;
    uint32_t serving; /* 1 to BUCKETS_PER_TABLE */
};

/* Buckets from `first` on, up to but not including `end`. */
struct bucket_range {
    uint32_t first, end;
};

static inline uint32_t server_of_bucket(uint32_t bucket, uint32_t serving)
{
    return bucket * serving / BUCKETS_PER_TABLE;
}

/* Of one server; of one that does not serve: none. */
static inline struct bucket_range buckets_of_server(uint32_t index, uint32_t serving)
{
    if (index >= serving)
        return (struct bucket_range){0, 0};
    return (struct bucket_range){(index * BUCKETS_PER_TABLE + serving - 1) / serving,
                                 ((index + 1) * BUCKETS_PER_TABLE + serving - 1) / serving};
}

static inline bool bucket_is_in(uint32_t bucket, struct bucket_range range)
{
    return bucket >= range.first && bucket < range.end;
}

static inline struct bucket_range buckets_in_both(struct bucket_range a, struct bucket_range b)
{
    const uint32_t first = a.first > b.first ? a.first : b.first;
    const uint32_t end = a.end < b.end ? a.end : b.end;

    return first < end ? (struct bucket_range){first, end} : (struct bucket_range){0, 0};
}

#endif
