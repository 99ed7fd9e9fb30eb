/*
 * outage.h - how long a cluster that does not answer, or refuses, is waited for.
 *
 *     well --failures, or a refusal once something has worked--> out --answers--> well
 *       |                                                         |
 *       +--a refusal of the very first request--> over <----------+ refused for minutes
 *
 * An API server that restarts refuses everybody until it knows its rules again (403), a token that
 * is being renewed is refused (401), and so is a certificate that changes: each passes by itself.
 * The cluster may be silent for as long as it likes, since its jobs go on without it.
 *
 * Pure: the time is an argument.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define OUTAGE_FAILURES   4                        /* failures in a row that are told of */
#define OUTAGE_REFUSED_MS ((int64_t)5 * 60 * 1000) /* a refusal that lasts so long is meant */

struct outage {
    bool has_worked; /* the cluster has answered once: set by the owner */
    bool is_told;
    int64_t refused_since_ms; /* 0: it does not refuse */
};

enum outage_verdict {
    OUTAGE_NOTHING, /* to be done */
    OUTAGE_BEGINS,  /* the user is to hear of it, once */
    OUTAGE_OVER,    /* the refusal is meant: the job is to be given up */
};

/* `problem`: the present one, NULL while all is well; `failures`: requests in a row that failed.
 * now_ms > 0. */
enum outage_verdict outage_judge(struct outage *outage, const struct error *problem,
                                 uint32_t failures, int64_t now_ms);
