#include "runtime/data/dataset_learn.h"

#include <stdlib.h>

#include "runtime/data/column_moments.h"
#include "runtime/data/dataset_parts.h"
#include "runtime/data/spool_reader.h"

/* NULLs among the used rows. */
static bool has_nulls(const struct spool *spool, uint32_t column, const uint8_t *is_used)
{
    for (uint32_t b = 0; b < spool->block_count; b++) {
        const struct spool_block *block = &spool->blocks[b];
        const struct spool_column_view *view = &block->columns[column];

        for (uint32_t row = 0; view->nulls && row < block->rows; row++)
            if (spool_is_null(view, row) && spool_trains(block, row, is_used))
                return true;
    }
    return false;
}

/* What a pass over one column gives. Columns are passed over by the team, each
 * with memory of its own. */
struct learned {
    bool has_nulls;
    struct word_table table; /* of a category; its words are counted */
    struct arena words;      /* those that numbers were written out as */
    struct error err;
};

struct column_pass {
    const struct spool *spool;
    const struct jobspec *spec;
    const uint8_t *is_used;
    struct learned *columns;        /* (spec->input_count) */
    struct column_moments *moments; /* of the numeric inputs */
};

static void take_moments(const struct column_moments *moments, bool standardize,
                         struct transform_input *input)
{
    input->type = INPUT_NUMERIC;
    input->mean = standardize ? moments->mean : 0;
    input->scale = standardize ? moments->scale : 1;
    input->null_value = standardize ? 0 : transform_number(input, moments->mean);
}

/* Count the words of the used rows. Words made of numbers are copied when they
 * are first seen; texts stay in the spool. */
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
            if (cell.type == CELL_NULL || !spool_trains(block, row, is_used))
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

static void learn_column(void *context, uint32_t member, uint32_t column)
{
    const struct column_pass *pass = context;
    const struct spec_input *input = &pass->spec->inputs[column];
    struct learned *learned = &pass->columns[column];
    (void)member;

    error_clear(&learned->err);
    learned->has_nulls = has_nulls(pass->spool, column, pass->is_used);
    if (input->type != INPUT_NUMERIC)
        count_words(pass->spool, column, input->name, pass->is_used, &learned->table,
                    &learned->words, &learned->err);
}

/* *moments is the next numeric input's. */
static enum status take_column(const struct spec_input *spec, bool standardize,
                               struct learned *learned, const struct column_moments **moments,
                               struct arena *arena, struct transform_input *input,
                               struct error *err)
{
    if (learned->err.status != STATUS_OK) {
        *err = learned->err;
        return err->status;
    }
    input->name = arena_copy(arena, spec->name);
    if (!input->name.data)
        return fail_no_memory(err);
    input->has_nulls = learned->has_nulls;
    if (spec->type == INPUT_NUMERIC) {
        take_moments((*moments)++, standardize, input);
        return STATUS_OK;
    }
    input->type = INPUT_CATEGORY;
    return take_words(&learned->table, spec->vocabulary_max, input, arena, err);
}

static uint32_t numeric_inputs(const struct jobspec *spec)
{
    uint32_t count = 0;

    for (size_t i = 0; i < spec->input_count; i++)
        count += spec->inputs[i].type == INPUT_NUMERIC;
    return count;
}

/* The first column that cannot be learned is the one to be named. */
static enum status learn_columns(struct column_pass *pass, struct team *team,
                                 struct dataset *dataset, struct error *err)
{
    const struct jobspec *spec = pass->spec;
    const struct column_moments *moments = pass->moments;
    const uint32_t count = (uint32_t)spec->input_count;
    enum status status;

    for (uint32_t i = 0; i < count; i++) {
        word_table_init(&pass->columns[i].table);
        arena_init(&pass->columns[i].words, ARENA_BYTES_MAX);
    }
    team_run(team, count, learn_column, pass);
    status = column_moments(pass->spool, 0, numeric_inputs(spec), pass->is_used, team,
                            pass->moments, err);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        status = take_column(&spec->inputs[i], spec->standardize, &pass->columns[i], &moments,
                             &dataset->arena, &dataset->transform.inputs[i], err);
    for (uint32_t i = 0; i < count; i++) {
        word_table_deinit(&pass->columns[i].table);
        arena_deinit(&pass->columns[i].words);
    }
    return status;
}

enum status learn_transform(const struct spool *spool, const struct jobspec *spec,
                            const uint8_t *is_used, struct team *team, struct dataset *dataset,
                            struct error *err)
{
    struct column_pass pass = {.spool = spool, .spec = spec, .is_used = is_used};
    struct transform *transform = &dataset->transform;
    enum status status;

    transform->input_count = (uint32_t)spec->input_count;
    transform->inputs = ARENA_NEW(&dataset->arena, struct transform_input, spec->input_count);
    pass.columns = calloc(spec->input_count + 1, sizeof *pass.columns);
    pass.moments = calloc(spec->input_count + 1, sizeof *pass.moments);
    if (transform->inputs && pass.columns && pass.moments)
        status = learn_columns(&pass, team, dataset, err);
    else
        status = fail_no_memory(err);
    free(pass.columns);
    free(pass.moments);
    return status == STATUS_OK ? transform_finish(transform, &dataset->arena, err) : status;
}
