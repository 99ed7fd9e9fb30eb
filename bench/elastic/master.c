/*
 * master WORKERS STEPS DEATHS - the pure master with simulated workers: messages
 * a second, memory a worker, what deaths at once cost. Sockets and the reading of
 * frames are not in it.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/sim/crowd.h"

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Large arrays are mapped, and counted apart. */
static size_t bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static uint32_t number(const char *text, uint32_t otherwise)
{
    return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    uint32_t workers = number(argc > 1 ? argv[1] : NULL, 10000);
    uint32_t steps = number(argc > 2 ? argv[2] : NULL, 1000000);
    uint32_t deaths = number(argc > 3 ? argv[3] : NULL, 1000);
    size_t before = bytes_in_use();
    struct crowd crowd;
    double began = seconds(), then;

    crowd_open(&crowd, workers, 1024);
    then = seconds();
    printf("%u workers join: %.2f s, %.0f bytes a worker\n", workers, then - began,
           (double)(bytes_in_use() - before) / workers);
    for (int i = 0; i < 100; i++)
        crowd_send_alive(&crowd);
    printf("heartbeats: %.2f million a second\n", 100e-6 * workers / (seconds() - then));
    then = seconds();
    crowd_steps(&crowd, steps);
    printf("steps: %.2f million a second\n", 1e-6 * steps / (seconds() - then));
    crowd_count_anew(&crowd);
    then = seconds();
    crowd_deaths(&crowd, deaths);
    printf("%u deaths at once: %.0f ms of computing, %llu groups, %llu frames\n", deaths,
           1e3 * (seconds() - then), (unsigned long long)crowd.groups,
           (unsigned long long)crowd.frames);
    crowd_close(&crowd);
    return 0;
}
