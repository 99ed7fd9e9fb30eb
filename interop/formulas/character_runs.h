/*
 * character_runs.h - characters that lie side by side and are alike, which a formula prints as
 * ranges: the classes of characters that make words, and the capitals of small letters.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "inputs/texts/text_words.h"

#define CHARACTER_POINTS 0x110000

struct class_run {
    uint32_t first, last;
    enum character_class class;
};

/* Characters from `first` on, which is below CHARACTER_POINTS, that have its class. */
struct class_run class_run_of(uint32_t first);

struct capital_run {
    uint32_t first, last, step; /* step 2: a small letter lies between two of them */
    int32_t shift;              /* from a capital to its small letter */
};

/* The first run of capitals that have one shift, from `first` on; false: there is none. */
bool capital_run_find(uint32_t first, struct capital_run *run);
