/*
 * share_lease.h - the Lease by which the masters of a namespace agree on who shares the cluster,
 * and on the numbers themselves: whoever holds it decides, and the Lease is the decision.
 *
 *     watch, answers --share_lease_on_object--> struct share_lease --share_lease_next--> GET, POST,
 * PUT
 *
 *     FOLLOWING --no renewal for 15 s, or nobody holds it--> PUT --taken--> HOLDING: PUT every 5 s
 *         ^                                                   |                |
 *         +--- 409: somebody else was first: read, follow ----+----------------+
 *
 * One write renews and decides: a PUT with the resourceVersion that was read last. Two holders
 * cannot both write, since the second one's version is old: it reads, and sees that another holds
 * the Lease. A holder that was frozen finds the same. A write of which the answer was lost is read
 * before the next one.
 *
 * Nobody's clock is trusted: a holder is dead when this observer has seen no renewal for
 * SHARE_LEASE_DEAD_MS of its own monotonic time, during which it ran. The number of changes of
 * holders is the decision's term. Numbers of an older term than was seen do not count; a Lease of
 * another uid begins anew.
 *
 * A holder in whose place a central sharer (`totrain k8s share`) wants to decide is replaced at
 * once: its next write is refused.
 *
 * Pure: the caller passes the time, and makes the requests. One request at a time.
 * https://kubernetes.io/docs/concepts/architecture/leases/
 */
#pragma once

#include <time.h>

#include "k8s/client/api.h"
#include "k8s/client/api_answer.h"
#include "runtime/share/share_report.h"

#define SHARE_LEASE_NAME     "totrain-share"
#define SHARE_LEASE_DECISION "totrain.dev/share" /* its annotation */
#define SHARE_LEASE_CENTRAL  "totrain-share/"    /* a central sharer's identity begins so */

#define SHARE_LEASE_RENEW_MS   5000
#define SHARE_LEASE_DEAD_MS    15000
#define SHARE_LEASE_STALE_MS   60000 /* the numbers of a Lease that nobody renews count so long */
#define SHARE_LEASE_GAP_MS     5000 /* a process that did not run for so long reads and lists first */
#define SHARE_LEASE_BETWEEN_MS 250 /* two writes of a holder */
#define SHARE_LEASE_RETRY_MS   1000
#define SHARE_LEASE_REFUSED_MS 60000 /* after a right that is missing */
#define SHARE_LEASE_SPREAD_MS  2000  /* so that not all try at once */
#define SHARE_HOLDER_MAX       300

struct share_lease {
    char self[SHARE_HOLDER_MAX]; /* this process, and no other one that ever was */
    uint64_t seed;
    bool is_central;

    /* ----- the Lease as it was seen last ----- */
    bool is_known; /* it was looked for */
    bool is_there;
    char uid[64], version[64], holder[SHARE_HOLDER_MAX], renewed[48];
    int64_t transitions;
    int64_t term;                   /* the greatest that was seen */
    struct share_decision decision; /* the last of that term */
    int64_t renewed_ms;             /* when a renewal was seen last */

    /* ----- the own part ----- */
    bool is_asking;  /* a request of share_lease_next is under way */
    bool must_read;  /* the API server may have another one */
    bool is_leaving; /* it is to be given up */
    bool is_refused; /* the right to it is missing */
    int64_t asked_ms, written_ms;
    int64_t due_ms; /* not before, after a failure */
    int64_t ticked_ms;
};

void share_lease_init(struct share_lease *lease, struct slice self, uint64_t seed, bool is_central,
                      int64_t now_ms);
void share_lease_deinit(struct share_lease *lease);

/* It is as this object says; NULL: it does not exist. Older versions than was seen do not count. */
void share_lease_on_object(struct share_lease *lease, int64_t now_ms, const cJSON *object);
/* On each tick, and before all else at that time. True: this process did not run for a while, and
 * what it knows of the cluster is old. */
bool share_lease_tick(struct share_lease *lease, int64_t now_ms);

bool share_lease_is_ours(const struct share_lease *lease);
/* Whether anybody decides, as far as this observer knows. */
bool share_lease_is_held(const struct share_lease *lease, int64_t now_ms);
/* The decision of now; NULL: there is none that counts. */
const struct share_decision *share_lease_decision(const struct share_lease *lease, int64_t now_ms);

/* The holder goes, and says so: the next one takes over at once. */
void share_lease_leave(struct share_lease *lease);
bool share_lease_has_left(const struct share_lease *lease);

enum share_lease_step {
    SHARE_LEASE_NOTHING,
    SHARE_LEASE_READ,
    SHARE_LEASE_CREATE,
    SHARE_LEASE_WRITE
};
/* The request to make now. `has_news`: the holder would decide otherwise than the Lease
 * says; `may_renew`: it knows the cluster as it is. *due_ms: when to call again at the latest. */
enum share_lease_step share_lease_next(const struct share_lease *lease, int64_t now_ms,
                                       bool has_news, bool may_renew, int64_t *due_ms);
/* Fills the request of that step, which is under way from now on. A new holder leaves
 * the numbers as they are; a holder writes `decided` (its term is of no account). `clock`: for
 * people. */
enum status share_lease_ask(struct share_lease *lease, int64_t now_ms, enum share_lease_step step,
                            const struct api_target *target, const struct share_decision *decided,
                            const struct timespec *clock, struct http_request *request,
                            struct error *err);
/* Its answer. */
void share_lease_on_answer(struct share_lease *lease, int64_t now_ms, enum share_lease_step step,
                           enum status status, const struct api_answer *answer);
