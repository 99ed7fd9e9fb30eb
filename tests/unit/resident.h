/*
 * resident.h - how much of some memory takes memory.
 */
#pragma once

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/check.h"

/* Bytes of the pages that are there. */
static inline size_t resident(const void *start, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)start / page * page;
    const size_t pages = ((uintptr_t)start + bytes - first + page - 1) / page;
    unsigned char *there = calloc(pages, 1);
    size_t sum = 0;

    CHECK(there && mincore((void *)first, pages * page, there) == 0);
    for (size_t i = 0; i < pages; i++)
        sum += (there[i] & 1) * page;
    free(there);
    return sum;
}
