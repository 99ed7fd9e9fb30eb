#include "runtime/data/word_table.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void word_table_init(struct word_table *table)
{
    *table = (struct word_table){0};
}

void word_table_deinit(struct word_table *table)
{
    free(table->entries);
    free(table->slots);
    *table = (struct word_table){0};
}

static uint32_t slot_of(const struct word_table *table, struct slice word)
{
    const uint32_t mask = table->slot_count - 1;
    uint32_t slot = (uint32_t)XXH3_64bits(word.data ? word.data : "", word.size) & mask;

    while (table->slots[slot] && !slice_equal(table->entries[table->slots[slot] - 1].word, word))
        slot = (slot + 1) & mask;
    return slot;
}

/* At most half of the slots are ever taken. */
static bool grow(struct word_table *table)
{
    uint32_t capacity = table->capacity ? 2 * table->capacity : 64;
    struct word_entry *entries;
    uint32_t *slots;

    if (capacity > UINT32_MAX / 4)
        return false;
    entries = realloc(table->entries, capacity * sizeof *entries);
    if (!entries)
        return false;
    table->entries = entries;
    slots = calloc(2 * (size_t)capacity, sizeof *slots);
    if (!slots)
        return false;
    free(table->slots);
    table->slots = slots;
    table->slot_count = 2 * capacity;
    table->capacity = capacity;
    for (uint32_t i = 0; i < table->count; i++)
        slots[slot_of(table, entries[i].word)] = i + 1;
    return true;
}

uint32_t word_table_add(struct word_table *table, struct slice word)
{
    uint32_t slot;

    if (table->count == table->capacity && !grow(table))
        return WORD_TABLE_NONE;
    slot = slot_of(table, word);
    if (!table->slots[slot]) {
        table->entries[table->count] = (struct word_entry){.word = word};
        table->slots[slot] = ++table->count;
    }
    table->entries[table->slots[slot] - 1].count++;
    return table->slots[slot] - 1;
}

uint32_t word_table_find(const struct word_table *table, struct slice word)
{
    uint32_t entry = table->count ? table->slots[slot_of(table, word)] : 0;

    return entry ? entry - 1 : WORD_TABLE_NONE;
}
