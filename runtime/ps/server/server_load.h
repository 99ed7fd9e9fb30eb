/*
 * server_load.h - what a parameter server has to do: which rows were pulled from it lately.
 *
 * It counts rows by bucket, as a bucket is what can move to another server, and each load_ms says
 * what has come together (LOAD) and begins anew. A row of many floats counts as more than one: one
 * for finding it, and one for each LOAD_FLOATS floats of it. The master decides by it
 * (server_balance.h). How long serving took is its process' to measure; where nobody does, rows
 * alone count.
 */
#pragma once

#include "runtime/net/message.h"
#include "runtime/ps/rows/row_table.h"

#define LOAD_FLOATS 16

struct server_load {
    uint32_t rows[BUCKETS_PER_TABLE]; /* rows pulled of all tables, by bucket */
    uint64_t busy_us;                 /* time spent on messages */
    int64_t since;                    /* in milliseconds: when counting began */
};

/* Nothing is counted from now on. */
void server_load_begin(struct server_load *load, int64_t now_ms);
void server_load_note(struct server_load *load, const struct row_table *table,
                      struct row_ids pulled);
void server_load_note_busy(struct server_load *load, int64_t us);
/* Borrows from the load. */
struct message_load server_load_message(const struct server_load *load, int64_t now_ms,
                                        uint64_t layout);
