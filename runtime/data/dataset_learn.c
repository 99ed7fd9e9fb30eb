#include <stdlib.h>

#include "data/dataset_parts.h"

/* NULLs among the used rows. */
static bool has_nulls(const struct spool *spool, uint32_t column, const uint8_t *is_used)
{
    for (uint32_t b = 0; b < spool->block_count; b++) {
        const struct spool_block *block = &spool->blocks[b];
        const struct spool_column_view *view = &block->columns[column];

        for (uint32_t row = 0; view->nulls && row < block->rows; row++)
            if (spool_is_null(view, row) && (!is_used || is_used[block->first_row + row]))
                return true;
    }
    return false;
}

static void learn_numeric(const struct spool *spool, uint32_t column, bool standardize,
                          const uint8_t *is_used, struct transform_input *input)
{
    struct column_moments moments = column_moments(spool, column, is_used);

    input->type = INPUT_TYPE_NUMERIC;
    input->mean = standardize ? moments.mean : 0;
    input->scale = standardize ? moments.scale : 1;
    input->null_value = standardize ? 0 : transform_number(input, moments.mean);
}

/* Count the words of the used rows. Words made of numbers are copied to the
 * arena when they are first seen; texts stay in the spool. */
static enum status count_word(struct word_table *table, const struct cell *cell,
                              struct arena *arena, struct slice name, struct error *err)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice word;
    uint32_t entry;
    bool is_null;

    TRY(cell_to_word(cell, name, buffer, &word, &is_null, err));
    if (word.data == buffer && word_table_find(table, word) == WORD_TABLE_NONE) {
        word = arena_copy(arena, word);
        if (!word.data)
            return fail_no_memory(err);
    }
    entry = word_table_add(table, word);
    return entry == WORD_TABLE_NONE ? fail_no_memory(err) : STATUS_OK;
}

static enum status count_words(const struct spool *spool, uint32_t column, struct slice name,
                               const uint8_t *is_used, struct word_table *table,
                               struct arena *arena, struct error *err)
{
    for (uint32_t b = 0; b < spool->block_count; b++) {
        const struct spool_block *block = &spool->blocks[b];
        const struct spool_column_view *view = &block->columns[column];

        for (uint32_t row = 0; row < block->rows; row++) {
            struct cell cell = spool_cell(view, row);
            if (cell.type == CELL_NULL || (is_used && !is_used[block->first_row + row]))
                continue;
            TRY(count_word(table, &cell, arena, name, err));
        }
    }
    return STATUS_OK;
}

/* By count descending, then by bytes: nothing in it depends on the rows' order. */
static int compare_entries(const void *a, const void *b)
{
    const struct word_entry *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return slice_compare(x->word, y->word);
}

static enum status take_words(struct word_table *table, uint32_t words_max,
                              struct transform_input *input, struct arena *arena, struct error *err)
{
    input->word_count = table->count < words_max ? table->count : words_max;
    if (table->count > words_max)
        input->hash_buckets = words_max / 10 ? words_max / 10 : 1;
    input->words = ARENA_NEW(arena, struct slice, input->word_count);
    input->word_counts = ARENA_NEW(arena, uint64_t, input->word_count);
    if (!input->words || !input->word_counts)
        return fail_no_memory(err);
    if (table->count)
        qsort(table->entries, table->count, sizeof *table->entries, compare_entries);
    for (uint32_t i = 0; i < input->word_count; i++) {
        input->words[i] = arena_copy(arena, table->entries[i].word);
        input->word_counts[i] = table->entries[i].count;
        if (!input->words[i].data)
            return fail_no_memory(err);
    }
    return STATUS_OK;
}

static enum status learn_category(const struct spool *spool, uint32_t column, uint32_t words_max,
                                  const uint8_t *is_used, struct arena *arena,
                                  struct transform_input *input, struct error *err)
{
    struct word_table table;
    enum status status;

    input->type = INPUT_TYPE_CATEGORY;
    word_table_init(&table);
    status = count_words(spool, column, input->name, is_used, &table, arena, err);
    if (status == STATUS_OK)
        status = take_words(&table, words_max, input, arena, err);
    word_table_deinit(&table);
    return status;
}

enum status learn_transform(const struct spool *spool, const struct jobspec *spec,
                            const uint8_t *is_used, struct dataset *dataset, struct error *err)
{
    struct transform *transform = &dataset->transform;

    transform->input_count = (uint32_t)spec->input_count;
    transform->inputs = ARENA_NEW(&dataset->arena, struct transform_input, spec->input_count);
    if (!transform->inputs)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < spec->input_count; i++) {
        struct transform_input *input = &transform->inputs[i];

        input->name = arena_copy(&dataset->arena, spec->inputs[i].name);
        if (!input->name.data)
            return fail_no_memory(err);
        input->has_nulls = has_nulls(spool, i, is_used);
        if (spec->inputs[i].kind == SPEC_NUMERIC)
            learn_numeric(spool, i, spec->standardize, is_used, input);
        else
            TRY(learn_category(spool, i, spec->inputs[i].vocabulary_max, is_used, &dataset->arena,
                               input, err));
    }
    return transform_finish(transform, &dataset->arena, err);
}
