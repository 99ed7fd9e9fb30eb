#include "runtime/data/dataset_labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/data/column_moments.h"
#include "runtime/data/dataset_encode.h"
#include "runtime/data/spool_reader.h"

static struct slice label_word(const struct spool_column_view *column, uint32_t row)
{
    if (column->type == SPOOL_TEXT)
        return spool_cell(column, row).text;
    return (struct slice){(const char *)&column->numbers[(size_t)row * column->stride],
                          sizeof *column->numbers};
}

static struct cell word_to_cell(enum label_type type, struct slice word)
{
    struct cell cell = {.type = CELL_TEXT, .text = word};

    if (type == LABEL_INTEGER) {
        cell = (struct cell){.type = CELL_INTEGER};
        memcpy(&cell.integer, word.data, sizeof cell.integer);
    } else if (type == LABEL_REAL) {
        cell = (struct cell){.type = CELL_REAL};
        memcpy(&cell.real, word.data, sizeof cell.real);
    }
    return cell;
}

static int compare_cells(const struct cell *a, const struct cell *b)
{
    if (a->type == CELL_TEXT)
        return slice_compare(a->text, b->text);
    if (a->type == CELL_INTEGER)
        return (a->integer > b->integer) - (a->integer < b->integer);
    return (a->real > b->real) - (a->real < b->real);
}

struct sortable {
    struct cell value;
    uint32_t entry;
};

static int compare_sortable(const void *a, const void *b)
{
    return compare_cells(&((const struct sortable *)a)->value,
                         &((const struct sortable *)b)->value);
}

static enum status refuse_fractions(const struct spool *spool, const struct jobspec *spec,
                                    struct error *err)
{
    const uint32_t column = (uint32_t)spec->input_count;
    uint64_t fractions = 0;
    double first = 0;
    struct text value;

    for (uint32_t b = 0; b < spool->block_count; b++) {
        const struct spool_column_view *view = &spool->blocks[b].columns[column];
        for (uint32_t row = 0; row < spool->blocks[b].rows; row++) {
            const double label = spool_real(view, row);
            if (label == floor(label) || spool_is_gone(&spool->blocks[b], row))
                continue;
            first = fractions++ ? first : label;
        }
    }
    if (fractions == 0)
        return STATUS_OK;
    text_init(&value, 40); /* %g would call 30.000000000000004 a 30 */
    text_append_real(&value, first);
    fail(err, STATUS_INVALID,
         "label column \"%.*s\" has %s, and the labels of a classifier are whole numbers or text",
         SLICE_FORMAT(spec->label), text_string(&value));
    text_deinit(&value);
    return error_hint(err, "Train a regressor to predict a real number.");
}

/* Counts one more; its entry, or WORD_TABLE_NONE where there is no memory. */
static uint32_t count_label(struct class_index *index, const struct spool_column_view *view,
                            uint32_t row)
{
    struct word_table *table = &index->table;
    const struct slice word = label_word(view, row);
    uint32_t entry;

    for (entry = 0; view->type != SPOOL_TEXT && entry < table->count && entry < FEW_CLASSES;
         entry++)
        if (index->few[entry] == spool_integer(view, row)) {
            table->entries[entry].count++;
            return entry;
        }
    entry = word_table_add(table, word);
    if (view->type != SPOOL_TEXT && entry < FEW_CLASSES)
        index->few[entry] = spool_integer(view, row);
    return entry;
}

static enum status refuse_more_classes(const struct jobspec *spec, struct error *err)
{
    fail(err, STATUS_INVALID,
         "label column \"%.*s\" has more than %d different values, and a classifier tells at most "
         "that many apart",
         SLICE_FORMAT(spec->label), CLASSES_MAX);
    return error_hint(err, "Train a regressor to predict a number.");
}

/* What the members of the team share: blocks are their tasks. */
struct counting {
    const struct spool *spool;
    const struct jobspec *spec;
    const uint8_t *is_used;
    struct class_index *indices; /* (team_size) */
    struct error *block_errors;  /* (block_count) */
};

static enum status count_block(const struct counting *counting, const struct spool_block *block,
                               struct class_index *index, struct error *err)
{
    const struct jobspec *spec = counting->spec;
    const struct spool_column_view *view = &block->columns[spec->input_count];

    for (uint32_t row = 0; row < block->rows; row++) {
        if (!spool_trains(block, row, counting->is_used))
            continue;
        if (view->type == SPOOL_TEXT &&
            memchr(label_word(view, row).data, '\0', label_word(view, row).size))
            return fail(err, STATUS_INVALID, "label column \"%.*s\" has a text with a zero byte",
                        SLICE_FORMAT(spec->label));
        if (count_label(index, view, row) == WORD_TABLE_NONE)
            return fail_no_memory(err);
        if (index->table.count > CLASSES_MAX)
            return refuse_more_classes(spec, err);
    }
    return STATUS_OK;
}

static void count_task(void *context, uint32_t member, uint32_t number)
{
    const struct counting *counting = context;

    error_clear(&counting->block_errors[number]);
    count_block(counting, &counting->spool->blocks[number], &counting->indices[member],
                &counting->block_errors[number]);
}

/* The labels that one member met, into those of all. */
static enum status add_labels(const struct jobspec *spec, const struct class_index *from,
                              struct class_index *index, struct error *err)
{
    for (uint32_t i = 0; i < from->table.count; i++) {
        const struct word_entry *met = &from->table.entries[i];
        const uint32_t entry = word_table_find(&index->table, met->word);

        if (entry != WORD_TABLE_NONE) {
            index->table.entries[entry].count += met->count;
            continue;
        }
        if (index->table.count == CLASSES_MAX)
            return refuse_more_classes(spec, err);
        if (word_table_add(&index->table, met->word) == WORD_TABLE_NONE)
            return fail_no_memory(err);
        index->table.entries[index->table.count - 1].count = met->count;
        if (spec->label_type != LABEL_TEXT && index->table.count <= FEW_CLASSES)
            memcpy(&index->few[index->table.count - 1], met->word.data, sizeof *index->few);
    }
    return STATUS_OK;
}

static enum status run_counting(struct counting *counting, struct team *team,
                                struct class_index *index, struct error *err)
{
    const uint32_t blocks = counting->spool->block_count;

    team_run(team, blocks, count_task, counting);
    TRY(first_failure(counting->block_errors, blocks, err));
    for (uint32_t i = 0; i < team_size(team); i++)
        TRY(add_labels(counting->spec, &counting->indices[i], index, err));
    return STATUS_OK;
}

/* Labels lie a row apart, each in a cache line of its own: looking at a million
 * of them is waiting for memory, which members do side by side. */
static enum status count_labels(const struct spool *spool, const struct jobspec *spec,
                                const uint8_t *is_used, struct team *team,
                                struct class_index *index, struct error *err)
{
    const uint32_t members = team_size(team);
    struct counting counting = {.spool = spool, .spec = spec, .is_used = is_used};
    enum status status;

    counting.indices = calloc(members, sizeof *counting.indices);
    counting.block_errors = calloc(spool->block_count + 1u, sizeof *counting.block_errors);
    if (counting.indices && counting.block_errors)
        status = run_counting(&counting, team, index, err);
    else
        status = fail_no_memory(err);
    for (uint32_t i = 0; counting.indices && i < members; i++)
        class_index_deinit(&counting.indices[i]);
    free(counting.indices);
    free(counting.block_errors);
    return status;
}

static enum status check_class_count(const struct jobspec *spec, const struct cell *only,
                                     uint32_t count, struct error *err)
{
    struct text value;

    if (spec->n_classes && count > spec->n_classes)
        return fail(err, STATUS_INVALID,
                    "label column \"%.*s\" has %u different values, and model.n_classes is %u",
                    SLICE_FORMAT(spec->label), count, spec->n_classes);
    if (count > 1)
        return STATUS_OK;
    text_init(&value, 100);
    if (only->type == CELL_TEXT)
        text_append(&value,
                    (struct slice){only->text.data, only->text.size < 64 ? only->text.size : 64});
    else if (only->type == CELL_INTEGER)
        text_printf(&value, "%lld", (long long)only->integer);
    else
        text_append_real(&value, only->real);
    fail(err, STATUS_INVALID,
         "label column \"%.*s\" has only the value \"%s\": there is nothing to tell apart",
         SLICE_FORMAT(spec->label), text_string(&value));
    text_deinit(&value);
    return STATUS_INVALID;
}

static enum status copy_label(struct arena *arena, struct cell *cell, struct error *err)
{
    if (cell->type != CELL_TEXT)
        return STATUS_OK;
    cell->text = arena_copy(arena, cell->text);
    return cell->text.data ? STATUS_OK : fail_no_memory(err);
}

static enum status learn_classes(const struct jobspec *spec, struct dataset *dataset,
                                 struct class_index *index, struct error *err)
{
    const struct word_table *table = &index->table;
    struct labels *labels = &dataset->labels;
    struct sortable *sorted = ARENA_NEW(&dataset->arena, struct sortable, table->count);
    uint64_t rows = 0;

    labels->values = ARENA_NEW(&dataset->arena, struct cell, table->count);
    dataset->class_weights = ARENA_NEW(&dataset->arena, float, table->count);
    index->classes = ARENA_NEW(&dataset->arena, uint32_t, table->count);
    if (!sorted || !labels->values || !dataset->class_weights || !index->classes)
        return fail_no_memory(err);
    labels->count = table->count;
    for (uint32_t i = 0; i < table->count; i++) {
        sorted[i] = (struct sortable){word_to_cell(labels->type, table->entries[i].word), i};
        rows += table->entries[i].count;
    }
    TRY(check_class_count(spec, &sorted[0].value, table->count, err));
    qsort(sorted, table->count, sizeof *sorted, compare_sortable);
    for (uint32_t i = 0; i < table->count; i++) {
        uint64_t count = table->entries[sorted[i].entry].count;

        labels->values[i] = sorted[i].value;
        TRY(copy_label(&dataset->arena, &labels->values[i], err));
        index->classes[sorted[i].entry] = i;
        dataset->class_weights[i] =
            spec->balanced ? (float)((double)rows / ((double)table->count * (double)count)) : 1;
    }
    return STATUS_OK;
}

enum status learn_labels(const struct spool *spool, const struct jobspec *spec,
                         const uint8_t *is_used, struct team *team, struct dataset *dataset,
                         struct class_index *index, struct error *err)
{
    dataset->labels.type = spec->label_type;
    dataset->label_scale = 1;
    if (!task_has_label(spec->task))
        return STATUS_OK;
    if (spec->task == TASK_REGRESSION) {
        struct column_moments moments;

        TRY(column_moments(spool, spool->number_count - 1, 1, is_used, team, &moments, err));
        dataset->label_mean = moments.mean;
        dataset->label_scale = moments.scale;
        return STATUS_OK;
    }
    if (spec->label_type == LABEL_REAL)
        TRY(refuse_fractions(spool, spec, err));
    TRY(count_labels(spool, spec, is_used, team, index, err));
    return learn_classes(spec, dataset, index, err);
}

int32_t class_of(const struct class_index *index, const struct spool_column_view *column,
                 uint32_t row)
{
    const uint32_t count = index->table.count;
    uint32_t entry;

    if (column->type == SPOOL_TEXT || count > FEW_CLASSES) {
        entry = word_table_find(&index->table, label_word(column, row));
        return entry == WORD_TABLE_NONE ? -1 : (int32_t)index->classes[entry];
    }
    for (entry = 0; entry < count; entry++)
        if (index->few[entry] == spool_integer(column, row))
            return (int32_t)index->classes[entry];
    return -1;
}

void class_index_deinit(struct class_index *index)
{
    word_table_deinit(&index->table);
}
