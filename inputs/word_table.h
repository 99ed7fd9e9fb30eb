/*
 * word_table.h - which of an input's words a word is: open addressing over their hashes.
 */
#pragma once

#include "base/arena.h"
#include "inputs/input.h"

/* No names in them repeat. */
enum status words_check(const struct slice *words, uint32_t count, const char *what,
                        struct arena *arena, struct error *err);
/* Over the input's words, which do not repeat: CORRUPT. */
enum status word_table_make(struct transform_input *input, struct arena *arena, struct error *err);
/* Is it one of the input's words? */
bool word_table_has(const struct transform_input *input, struct slice word);

/* Its place among the words; else by its hash among the buckets behind them, -1 where there are
 * none. */
int32_t word_id(const struct transform_input *input, struct slice word);
#define WORD_TABLE_MANY 32
/* The same of several words, at most WORD_TABLE_MANY: ids (count). Many words lie anywhere in
 * memory, and what each of them needs is fetched beside what the others do. */
void word_ids(const struct transform_input *input, const struct slice *words, uint32_t count,
              int32_t *ids);
