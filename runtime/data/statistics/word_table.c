#include "runtime/data/statistics/word_table.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define CAPACITY_FIRST 64

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

static uint32_t hash_of(struct slice word)
{
    return (uint32_t)XXH3_64bits(word.data ? word.data : "", word.size);
}

static bool holds(const struct word_table *table, const struct word_slot *slot, struct slice word,
                  uint64_t start, uint32_t hash)
{
    const struct word_entry *entry = &table->entries[slot->number - 1];

    return slot->hash == hash && entry->start == start && entry->word.size == word.size &&
           (word.size <= sizeof start || memcmp(entry->word.data, word.data, word.size) == 0);
}

/* Where the word is, or the empty slot where it belongs. */
static struct word_slot *slot_of(const struct word_table *table, struct slice word, uint32_t hash)
{
    const uint32_t mask = table->slot_count - 1;
    const uint64_t start = slice_start(word);
    uint32_t slot = hash & mask;

    while (table->slots[slot].number && !holds(table, &table->slots[slot], word, start, hash))
        slot = (slot + 1) & mask;
    return &table->slots[slot];
}

/* All words are different. */
static void move_slots(const struct word_slot *from, uint32_t from_count, struct word_slot *to,
                       uint32_t to_count)
{
    for (uint32_t i = 0; i < from_count; i++) {
        uint32_t slot = from[i].hash & (to_count - 1);

        if (!from[i].number)
            continue;
        while (to[slot].number)
            slot = (slot + 1) & (to_count - 1);
        to[slot] = from[i];
    }
}

/* To a power of two. At most half of the slots are ever taken. */
static bool grow(struct word_table *table, uint32_t capacity)
{
    struct word_entry *entries;
    struct word_slot *slots;

    if (capacity > UINT32_MAX / 4)
        return false;
    entries = realloc(table->entries, capacity * sizeof *entries);
    if (!entries)
        return false;
    table->entries = entries;
    slots = malloc(2 * (size_t)capacity * sizeof *slots);
    if (!slots)
        return false;
    /* Not calloc, which the compiler takes the two for if it sees both: pages that are read before
     * they are written are faulted in twice, and the second time stops all threads. */
    __asm__ volatile("" : "+r"(slots));
    memset(slots, 0, 2 * (size_t)capacity * sizeof *slots);
    move_slots(table->slots, table->slot_count, slots, 2 * capacity);
    free(table->slots);
    table->slots = slots;
    table->slot_count = 2 * capacity;
    table->capacity = capacity;
    return true;
}

bool word_table_reserve(struct word_table *table, uint32_t count)
{
    uint32_t capacity = CAPACITY_FIRST;

    while (capacity < count)
        if (capacity > UINT32_MAX / 4)
            return false;
        else
            capacity *= 2;
    return table->capacity >= count || grow(table, capacity);
}

uint32_t word_table_add(struct word_table *table, struct slice word)
{
    const uint32_t hash = hash_of(word);
    struct word_slot *slot;

    if (table->count == table->capacity &&
        !grow(table, table->capacity ? 2 * table->capacity : CAPACITY_FIRST))
        return WORD_TABLE_NONE;
    slot = slot_of(table, word, hash);
    if (!slot->number) {
        table->entries[table->count] =
            (struct word_entry){.word = word, .start = slice_start(word)};
        *slot = (struct word_slot){++table->count, hash};
    }
    table->entries[slot->number - 1].count++;
    return slot->number - 1;
}

uint32_t word_table_find(const struct word_table *table, struct slice word)
{
    uint32_t number = table->count ? slot_of(table, word, hash_of(word))->number : 0;

    return number ? number - 1 : WORD_TABLE_NONE;
}

/* The entry of the slot where the word most often is. */
static const struct word_entry *likely_entry(const struct word_table *table, uint32_t hash)
{
    const struct word_slot *slot = &table->slots[hash & (table->slot_count - 1)];

    return slot->hash == hash && slot->number ? &table->entries[slot->number - 1] : NULL;
}

void word_table_find_many(const struct word_table *table, const struct slice *words, uint32_t count,
                          uint32_t *entries)
{
    uint32_t hashes[WORD_TABLE_MANY];
    const struct word_entry *likely;

    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = hash_of(words[i]);
        entries[i] = WORD_TABLE_NONE;
        if (table->count)
            __builtin_prefetch(&table->slots[hashes[i] & (table->slot_count - 1)]);
    }
    if (!table->count)
        return;
    for (uint32_t i = 0; i < count; i++)
        if ((likely = likely_entry(table, hashes[i])))
            __builtin_prefetch(likely, 1);
    for (uint32_t i = 0; i < count; i++)
        if (words[i].size > sizeof likely->start && (likely = likely_entry(table, hashes[i])))
            __builtin_prefetch(likely->word.data);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = slot_of(table, words[i], hashes[i])->number;

        entries[i] = number ? number - 1 : WORD_TABLE_NONE;
    }
}
