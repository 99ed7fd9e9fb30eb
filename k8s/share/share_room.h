/*
 * share_room.h - how much room a cluster has for our pods, where its nodes may not be seen.
 *
 *     room = what our pods hold, or held before without a shortage  +  what is tried
 *
 * Until a pod finds no place, whatever jobs lack is tried. Afterwards more is tried while a job
 * lacks something and all of our pods have a place: one worker, then twice as much each time,
 * SHARE_ROOM_TRY_MS apart; minimums at once. A pod that finds no place for SHARE_ROOM_SHORT_MS says
 * that there is no more than they hold: nothing is tried then for SHARE_ROOM_REST_MS, and twice as
 * long after each shortage that follows at once. What the shortage took is tried again as a whole:
 * who has taken it for a moment, as a service that came and went, gives it back as a whole.
 *
 * Places of masters and servers are no places for workers: what is known by them alone goes with
 * them. Where they came into room that was known before, it is room for workers again.
 *
 * Pure: the caller passes the time.
 */
#pragma once

#include "runtime/share/share.h"

#define SHARE_ROOM_TRY_MS      3000
#define SHARE_ROOM_SHORT_MS    2000
#define SHARE_ROOM_REST_MS     3000
#define SHARE_ROOM_REST_MS_MAX 120000

struct share_room {
    struct share_size known;
    struct share_size rest;    /* places that masters and servers hold */
    struct share_size counted; /* the part of `known` that is known by these alone */
    struct share_size tried;   /* beyond `known` */
    struct share_size step;    /* the last size that was tried */
    int64_t tried_ms;          /* when it was made larger; 0: never */
    int64_t again_ms;          /* nothing is tried before; 0: no pod was ever short of a place */
    uint32_t shortages;        /* in a row */
};

/* The state of our pods in the cluster. */
struct share_held {
    struct share_size size;   /* pods with a place */
    struct share_size rest;   /* those of them that are masters and servers */
    struct share_size worker; /* the largest worker of a job that lacks one; 0: none does */
    struct share_size waits;  /* pods without a place that minimums lack */
    struct share_size lacks;  /* all that jobs could use beyond what they hold */
    bool is_pending;          /* a pod waits for a place */
    bool is_short;            /* for SHARE_ROOM_SHORT_MS or longer */
};

/* True: there is less room than before, or more. */
bool share_room_note(struct share_room *room, int64_t now_ms, const struct share_held *held);
/* For all pods, with a place or without. */
struct share_size share_room_size(const struct share_room *room);
/* When more is to be tried; INT64_MAX: not by itself. */
int64_t share_room_due(const struct share_room *room, const struct share_held *held);
