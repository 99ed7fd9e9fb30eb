#include "tests/sim/seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define SEEDS_USUAL 300
#define SEEDS_MANY  1000 /* from so many on every kind of fault happens */

static bool parse(struct seeds *seeds, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char *end;

        if (strcmp(argv[i], "--verbose") == 0) {
            seeds->verbose = true;
            continue;
        }
        if ((strcmp(argv[i], "--seed") != 0 && strcmp(argv[i], "--seeds") != 0) || i + 1 == argc)
            return false;
        seeds->first = seeds->last = strtoull(argv[++i], &end, 10);
        if (strncmp(end, "..", 2) == 0)
            seeds->last = strtoull(end + 2, &end, 10);
        if (*end)
            return false;
    }
    return true;
}

bool seeds_parse(struct seeds *seeds, int argc, char **argv)
{
    *seeds = (struct seeds){.first = 1, .last = SEEDS_USUAL};
    if (parse(seeds, argc, argv))
        return true;
    fprintf(stderr, "%s [--seed N | --seeds A..B] [--verbose]\n", argv[0]);
    return false;
}

uint64_t seeds_count(const struct seeds *seeds)
{
    return seeds->last - seeds->first + 1;
}

uint64_t seeds_pick(uint64_t seed, uint64_t stream, uint64_t what, uint64_t below)
{
    return random_bits(seed, RANDOM_SIMULATION, what, stream) % below;
}

uint64_t seeds_run(const struct seeds *seeds, seed_runner *run, void *context)
{
    uint64_t failures = 0;

    for (uint64_t seed = seeds->first; seed <= seeds->last; seed++) {
        struct error err;

        if (run(context, seed, seeds->verbose, &err) == STATUS_OK)
            continue;
        printf("seed %" PRIu64 ": %s\n", seed, err.message);
        failures++;
    }
    return failures;
}

int seeds_exit_code(const struct seeds *seeds, uint64_t failures, struct seeds_counts counts)
{
    bool is_short = false;

    for (size_t i = 0; i < counts.count && seeds_count(seeds) > 1; i++)
        printf("%10" PRIu64 "  %s\n", counts.times[i], counts.names[i]);
    if (seeds_count(seeds) < SEEDS_MANY)
        return failures > 0;
    for (size_t i = 0; i < counts.count; i++) {
        if (counts.times[i] > 0)
            continue;
        printf("never happened in %" PRIu64 " seeds: %s\n", seeds_count(seeds), counts.names[i]);
        is_short = true;
    }
    return failures > 0 || is_short;
}
