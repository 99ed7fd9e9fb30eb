/*
 * server_balance.h - which buckets leave a parameter server that is hot: the master's choice.
 *
 *     LOAD of each server --> a round: who is hot? --as in the round before--> a map of buckets
 *
 * A server's load is how long a second of the job keeps it busy: the rows that are pulled from it,
 * each as long as a row takes it. So one that is slow is hot as well as one whose rows are wanted
 * more often. Where servers do not say how long they were busy, all rows are alike. What was
 * counted counts half as much with each round, so that a load that changes is seen.
 *
 * A server is hot whose load is HOT_AT times the mean or more. Where servers are seldom busy no
 * batch waits for them, and nothing moves. A new map takes the bucket from the server with the
 * highest load to that with the lowest that makes the higher one of the two lowest, and so on,
 * until loads are even or BUCKETS_MOST have moved: so hot buckets go first, and few go. What helps
 * less than a pause of all workers costs is no choice. A bucket that is hot by itself cannot be
 * divided.
 *
 * Pure, and a function of what was noted: not of the order in which servers said it in a round.
 */
#pragma once

#include "runtime/net/message.h"
#include "runtime/ps/server/server_layout.h"

#define BALANCE_HOT_AT   1.2 /* times the mean load */
#define BALANCE_PATIENCE 2   /* rounds */

/* A server's load, halved with each round. */
struct balance_server {
    uint64_t ms, busy_us;
    bool has_said; /* in this round */
};

struct server_balance {
    uint64_t rows[BUCKETS_PER_TABLE]; /* rows pulled, halved with each round */
    struct balance_server *servers;   /* (room) */
    uint32_t room, said;              /* said: servers in this round */
    uint32_t hot_rounds;              /* in which one was hot, one after the other */
};

/* The reason for a new map. */
struct balance_choice {
    uint32_t hot;         /* server */
    uint32_t moved;       /* buckets */
    double before, after; /* the highest load, in times of the mean */
};

/* For so many servers at most. */
enum status server_balance_init(struct server_balance *balance, uint32_t servers,
                                struct error *err);
void server_balance_deinit(struct server_balance *balance);

/* Nothing is known: another layout is in force, or what was counted is of another time. */
void server_balance_clear(struct server_balance *balance);

/* Notes a server's load under this layout. A load of another layout counts as nothing. */
void server_balance_note(struct server_balance *balance, const struct server_layout *now,
                         uint32_t server, const struct message_load *load);

static inline bool server_balance_is_due(const struct server_balance *balance)
{
    return balance->hot_rounds >= BALANCE_PATIENCE;
}

/* The map of `next`, for the same servers, whose id the caller gives. False: none helps enough. */
bool server_balance_choose(const struct server_balance *balance, const struct server_layout *now,
                           struct server_layout *next, struct balance_choice *choice);
