/*
 * oracle.h - what every worker's state must be after every phase.
 *
 * Made by one undisturbed run of all lanes in one place. A checked learner
 * compares after each apply and load: the first wrong bit ends the simulation.
 */
#pragma once

#include "runtime/learn/learner.h"

/* The subject of a simulation: learners for as many workers as come along. */
struct subject {
    void *context;
    struct learner *(*open)(void *context);
    const struct slice *metrics; /* (metric_count): metrics of each round */
    size_t metric_count;
    bool ends_by_time; /* is told at any time to end with the step at hand */
    bool shares_rows;  /* among all workers: their bits cannot be inverted for one alone */
    /* Functions of subjects whose rows come when they are needed, else NULL: the next ones cannot
     * be read; how long it took since this was asked last. */
    void (*lose_rows)(struct learner *learner);
    int64_t (*load_us)(struct learner *learner);
};

struct oracle {
    uint64_t *states; /* hash of the state before each phase */
    uint64_t phases;
    uint64_t model; /* hash of the published rows */
    char digest[DIGEST_BYTES];
    uint64_t records; /* evaluations */
    struct result_metric results[LEARNER_METRICS_MAX];
    size_t result_count;
    struct oracle *stopped; /* (stopped_count): runs that were told to end, phase by phase */
    uint64_t stopped_count;
};

struct oracle oracle_new(const struct subject *subject);
void oracle_free(struct oracle *oracle);
/* The undisturbed run that has this model, be it one that was told to end; NULL: none has. */
const struct oracle *oracle_of_model(const struct oracle *oracle, uint64_t model);

/* Hash chain over published rows. */
uint64_t oracle_add_row(uint64_t hash, struct slice part, struct slice name, int64_t position,
                        struct slice data);

/* A learner whose states are looked at, as long as it is open. */
struct checked;
struct checked *checked_new(struct learner *learner, const struct oracle *oracle);
void checked_free(struct checked *checked);
/* Bits of it are inverted: what counts is the end. */
void checked_allow_damage(struct checked *checked);
/* Its next apply finds no memory. */
void checked_starve(struct checked *checked);
/* Its next apply has a wrong result, which is no damage to its memory. */
void checked_spoil(struct checked *checked);
/* The first wrong state or step back; NULL: none. */
const char *checked_failure(const struct checked *checked);
