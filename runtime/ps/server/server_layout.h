/*
 * server_layout.h - which parameter server has which rows: one has each bucket, of all tables.
 *
 *     bucket   0        256        512        768     1023
 *     2        [ server 0          |  server 1           ]     equal parts, in order
 *     4        [ 0      | 1        |  2       | 3        ]
 *     a map    [ 0   |3|0|1|3|1    |  2       | 3        ]     some have moved to server 3
 *
 * A layout begins with equal parts; a map comes where rows have moved away from a server that was
 * hot (server_balance.h). Each of the first `serving` servers has a bucket at least.
 *
 * A job has one layout at a time. Their ids rise, and no two have the same; that of a job which was
 * never given another is 0.
 */
#pragma once

#include "base/bytes.h"
#include "runtime/ps/rows/bucket_set.h"

struct server_layout {
    uint64_t id;
    uint32_t serving;                    /* 1 to BUCKETS_PER_TABLE */
    bool has_map;                        /* else equal parts */
    uint16_t servers[BUCKETS_PER_TABLE]; /* where has_map: by bucket */
};

static inline uint32_t server_of_bucket(const struct server_layout *layout, uint32_t bucket)
{
    return layout->has_map ? layout->servers[bucket] : bucket * layout->serving / BUCKETS_PER_TABLE;
}

static inline uint32_t server_of_row(const struct server_layout *layout, uint32_t table,
                                     uint64_t id)
{
    return server_of_bucket(layout, row_bucket_of(table, row_hash(id)));
}

/* The buckets of the server; none if it does not serve. */
struct bucket_set buckets_of_server(const struct server_layout *layout, uint32_t index);

/* Equal parts are written down as a map, so that some of it can be changed. */
void server_layout_make_map(struct server_layout *layout);

/* A map in a message and in a snapshot: runs of buckets of one server, as 32-bit integers: the
 * first bucket << 16 | server, in order, no two of one server side by side. Equal parts: none. */
struct layout_runs {
    uint32_t runs[BUCKETS_PER_TABLE];
    uint32_t count;
};

/* Borrows from `runs`. */
struct slice server_layout_runs(const struct server_layout *layout, struct layout_runs *runs);
/* PROTOCOL for what is no layout. */
enum status server_layout_read(struct server_layout *layout, uint64_t id, uint32_t serving,
                               struct slice runs, struct error *err);

/* In what a server stores: u64 id, u32 serving, sized runs. PROTOCOL, too, where the reader fails.
 */
void server_layout_put(const struct server_layout *layout, struct text *out);
enum status server_layout_take(struct byte_reader *reader, struct server_layout *layout,
                               struct error *err);
