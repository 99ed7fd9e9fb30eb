/*
 * share_board_decide.h - what the holder of a Lease decides, by all that is on its board.
 */
#pragma once

#include "k8s/share/share_board.h"

/* A Job to be suspended, or to be made go on. */
struct share_rest {
    size_t space;
    const char *uid, *name; /* the board's, until the next call */
    bool must_rest;
};

/* Decides anew for all jobs of the spaces of which `is_ours` holds. *due_ms: when to decide again
 * at the latest. */
enum status share_board_decide(struct share_board *board, int64_t now_ms, const bool *is_ours,
                               int64_t *due_ms, struct error *err);
/* The decision of a space; its jobs are the board's, until the next call. */
struct share_decision share_board_decision(struct share_board *board, int64_t now_ms, size_t space);
/* Whether any job's number differs from this decision. */
bool share_board_has_news(const struct share_board *board, size_t space,
                          const struct share_decision *than);
/* The first Job that does not rest as was decided. False: there is none. */
bool share_board_rest(const struct share_board *board, const bool *is_ours,
                      struct share_rest *rest);
