/*
 * histories.h - the main program of a test that plays random histories, each from a seed.
 *
 *     test_NAME           all of them
 *     test_NAME SEED      one of them again
 */
#pragma once

#include <stdlib.h>

#include "tests/check.h"

typedef void history_player(uint64_t seed);

struct histories {
    history_player *play;
    uint64_t first, last; /* seeds */
};

static void play_histories(void **state)
{
    const struct histories *histories = *state;

    for (uint64_t seed = histories->first; seed <= histories->last; seed++)
        histories->play(seed);
}

/* `name` says what holds after any of them. */
static int run_histories(int argc, char **argv, const char *name, history_player *play,
                         uint64_t count)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    struct histories histories = {play, seed ? seed : 1, seed ? seed : count};
    const struct CMUnitTest tests[] = {{name, play_histories, NULL, NULL, &histories}};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
