/*
 * seeds.h - a simulation from the command line: many seeds, or one of them again.
 *
 *     NAME [--seed N | --seeds A..B] [--verbose]
 *
 * A failure prints its seed, and `--seed N --verbose` shows it again. Over many
 * seeds everything that may happen has to happen: else what is checked is not
 * what was meant.
 */
#ifndef SIM_SEEDS_H
#define SIM_SEEDS_H

#include "base/error.h"

struct seeds {
    uint64_t first, last;
    bool verbose;
};

/* False, and said how: what cannot be understood. */
bool seeds_parse(struct seeds *seeds, int argc, char **argv);
uint64_t seeds_count(const struct seeds *seeds);
/* A number below `below`, of this seed; each simulation has a stream of its own. */
uint64_t seeds_pick(uint64_t seed, uint64_t stream, uint64_t what, uint64_t below);
/* Each in turn, with failures printed; how many there were. */
typedef enum status seed_runner(void *context, uint64_t seed, bool verbose, struct error *err);
uint64_t seeds_run(const struct seeds *seeds, seed_runner *run, void *context);
/* The exit code. is_poor: something of what may happen never did. */
int seeds_verdict(const struct seeds *seeds, uint64_t failures, bool is_poor);

#endif
