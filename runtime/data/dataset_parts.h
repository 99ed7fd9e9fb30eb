/*
 * dataset_parts.h - the steps of dataset_open, shared by its files.
 *
 *     spool --check--> rows held out --learn--> transform, labels --encode--> parts
 */
#pragma once

#include "runtime/data/dataset.h"
#include "runtime/data/word_table.h"

#define ARENA_BYTES_MAX ((size_t)8 << 30) /* vocabularies and views of the largest spools */

/* Which rows of a spool go where, and under which hash. */
struct split {
    uint32_t held_out;
    uint8_t *is_training;    /* (rows); NULL: all */
    uint32_t *places;        /* (rows): the row's number within its part */
    struct row_hash *hashes; /* (rows): of the row and how many equal ones came before it */
};
