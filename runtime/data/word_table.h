/*
 * word_table.h - distinct byte strings and how often each was seen.
 *
 * Words are borrowed. Entries are numbered as they are first seen, which
 * depends on the order of the rows: sort them before anything is made of them.
 */
#ifndef RUNTIME_DATA_WORD_TABLE_H
#define RUNTIME_DATA_WORD_TABLE_H

#include "base/error.h"

struct word_entry {
    struct slice word;
    uint64_t count;
};

struct word_table {
    struct word_entry *entries;
    uint32_t count, capacity;
    uint32_t *slots;     /* open addressing: entry + 1, 0 empty */
    uint32_t slot_count; /* a power of two */
};

#define WORD_TABLE_NONE UINT32_MAX

void word_table_init(struct word_table *table);
void word_table_deinit(struct word_table *table);
/* Count one more of the word; gives its entry, WORD_TABLE_NONE without memory. */
uint32_t word_table_add(struct word_table *table, struct slice word);
/* WORD_TABLE_NONE when it was never added. */
uint32_t word_table_find(const struct word_table *table, struct slice word);

#endif
