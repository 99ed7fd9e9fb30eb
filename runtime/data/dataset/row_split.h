/*
 * row_split.h - the rows of a spool dealt into those that are learned from and those held out.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"
#include "runtime/data/statistics/word_table.h"

/* Which rows of a spool go where, and under which hash. */
struct split {
    uint32_t held_out;
    uint8_t *is_training;    /* (rows); NULL: all */
    uint32_t *places;        /* (rows): the row's number within its part */
    struct row_hash *hashes; /* (rows): of the row and how many equal ones came before it */
};
