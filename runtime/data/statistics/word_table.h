/*
 * word_table.h - distinct byte strings and how often each was seen.
 *
 * Words are borrowed. Entries are numbered as they are first seen, which
 * depends on the order of the rows: sort them before anything is made of them.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"

struct word_entry {
    struct slice word;
    uint64_t count;
    uint64_t start; /* slice_start of it: of short words no more need be looked at */
};

struct word_table {
    struct word_entry *entries;
    uint32_t count, capacity;
    struct word_slot {
        uint32_t number; /* entry + 1; 0: empty */
        uint32_t hash;   /* hash of its word */
    } * slots;           /* open addressing */
    uint32_t slot_count; /* a power of two */
};

#define WORD_TABLE_NONE UINT32_MAX

void word_table_init(struct word_table *table);
void word_table_deinit(struct word_table *table);
/* Makes room for so many words in all; false without memory. */
bool word_table_reserve(struct word_table *table, uint32_t count);
/* Count one more of the word; gives its entry, WORD_TABLE_NONE without memory. */
uint32_t word_table_add(struct word_table *table, struct slice word);
/* WORD_TABLE_NONE when it was never added. */
uint32_t word_table_find(const struct word_table *table, struct slice word);

#define WORD_TABLE_MANY 32
/* The same of several words, at most WORD_TABLE_MANY: entries (count). A large table lies anywhere
 * in memory, and what of it each of them needs is fetched beside what the others do. */
void word_table_find_many(const struct word_table *table, const struct slice *words, uint32_t count,
                          uint32_t *entries);
