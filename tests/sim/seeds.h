/*
 * seeds.h - a simulation from the command line: many seeds, or one of them again.
 *
 *     NAME [--seed N | --seeds A..B] [--verbose]
 *
 * A failure prints its seed, and `--seed N --verbose` shows it again. Over many
 * seeds every kind of fault has to happen: else what is checked is not
 * what was meant.
 */
#pragma once

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
/* Events that a simulation promises to make happen (its faults first of all), and how often each
 * did. */
struct seeds_counts {
    const char *const *names;
    const uint64_t *times;
    size_t count;
};
/* Prints the counts. The exit code: not 0 when a seed failed, or when over many seeds something
 * promised never happened, which is then named. */
int seeds_exit_code(const struct seeds *seeds, uint64_t failures, struct seeds_counts counts);
