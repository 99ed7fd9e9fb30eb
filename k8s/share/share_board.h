/*
 * share_board.h - all that the holder of a Lease knows of the jobs and of the room for them, and
 * its decision.
 *
 *     Jobs with totrain.dev/use --+
 *     Pods, of all jobs ----------+--> struct share_board --share_jobs()--> a decision of each
 * space nodes, quotas --------------+
 *
 * A space is a namespace with a Lease. A job is counted whose master has reported what it can use,
 * and that has not ended. The order is that in which the API server has made the Jobs. A job alone
 * has all that it asks for, also where pods stay pending, as a cluster that grows wants to see.
 *
 * Where the nodes are seen, the room is what pods of others leave of each, and a node that takes no
 * new pods has as much as ours hold there. Otherwise it is found out (share_room.h). Quotas with a
 * scope are left out of account.
 *
 * A quota must not be filled by masters whose workers then have no room: of jobs without room the
 * youngest ones are told to rest (their Jobs are suspended) until the others' pods fit, and are
 * resumed when they get workers.
 *
 * Pure: the caller passes the time. Objects come as the watches bring them.
 */
#pragma once

#include "base/json.h"
#include "k8s/share/share_room.h"
#include "runtime/share/share_report.h"

#define SHARE_BOARD_SPACES 64
#define SHARE_BOARD_PODS   100000
#define SHARE_BOARD_RESTS  "totrain.dev/rests" /* annotation of a Job that was told to rest */

struct share_board;

enum status share_board_new(enum share_rule rule, struct share_board **board, struct error *err);
void share_board_free(struct share_board *board);

/* All that was seen does not count any more: lists follow. */
void share_board_forget(struct share_board *board);
/* The nodes are seen, and all pods of the cluster: or what our own pods hold is the room. */
void share_board_see_nodes(struct share_board *board, bool are_seen);

/* The holder's own job ends: its part goes to the others. */
void share_board_leave(struct share_board *board, struct slice uid);

/* An object is there or has changed; NULL: the one of this uid is gone. NO_MEMORY, LIMIT. */
enum status share_board_on_job(struct share_board *board, int64_t now_ms, size_t space,
                               struct slice uid, const cJSON *object, struct error *err);
/* `space`: of its namespace; SHARE_BOARD_SPACES: one without a Lease of ours. */
enum status share_board_on_pod(struct share_board *board, int64_t now_ms, size_t space,
                               struct slice uid, const cJSON *object, struct error *err);
enum status share_board_on_node(struct share_board *board, struct slice uid, const cJSON *object,
                                struct error *err);
enum status share_board_on_quota(struct share_board *board, size_t space, struct slice uid,
                                 const cJSON *object, struct error *err);

/* The decision of an earlier holder for this space, `seconds` included. */
void share_board_take(struct share_board *board, int64_t now_ms, size_t space,
                      const struct share_decision *decision);
