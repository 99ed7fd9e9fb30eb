/*
 * The order to workers about a SELECT that they read themselves, and which columns they need.
 */
#include "extension/engine/rows/direct.h"

#include "extension/engine/rows/spooling.h"
#include "runtime/launch/job_folder.h"

#define UNUSED_COLUMN (-1)

/* The columns of the query that any cell comes from get their places among those that are read. */
struct narrowing {
    const struct spool_cells *cells;
    size_t count; /* count of cells; those that are counted alone are read, too */
    struct direct_rows *rows;
    int *places;  /* (columns of the query): UNUSED_COLUMN */
    size_t *kept; /* (vectors of the query): which of those of `rows` each of them is */
};

/* The vector that an element behind the columns is of; *element: counted within it. */
static const struct vector *vector_of(const struct vectors *vectors, int cell, uint32_t *element)
{
    size_t first = vectors->columns;

    for (size_t i = 0; i < vectors->count; i++) {
        const struct vector *vector = &vectors->items[i];

        if ((size_t)cell < first + vector->size) {
            *element = (uint32_t)((size_t)cell - first);
            return vector;
        }
        first += vector->size;
    }
    return NULL;
}

static void need_column(struct narrowing *narrowing, size_t column)
{
    struct direct_rows *rows = narrowing->rows;

    if (narrowing->places[column] != UNUSED_COLUMN)
        return;
    narrowing->places[column] = (int)rows->column_count;
    rows->columns[rows->column_count++] = narrowing->cells->query.columns[column].name;
}

static void need_vector(struct narrowing *narrowing, const struct vector *vector)
{
    if (!vector->cross)
        need_column(narrowing, vector->column);
    for (uint32_t i = 0; vector->cross && i < vector->cross->count; i++)
        need_column(narrowing, vector->cross->columns[i].cell);
}

static void need_columns(struct narrowing *narrowing)
{
    const struct spool_cells *cells = narrowing->cells;
    uint32_t element;

    for (size_t i = 0; i < narrowing->count; i++) {
        if ((size_t)cells->columns[i] < cells->query.count)
            need_column(narrowing, (size_t)cells->columns[i]);
        else
            need_vector(narrowing, vector_of(&cells->query.vectors, cells->columns[i], &element));
    }
}

/* All crosses are inputs, so that their columns are needed. */
static enum status keep_cross(struct narrowing *narrowing, const struct cross *cross,
                              struct arena *arena, struct vector *kept, struct error *err)
{
    struct cross *copy = cross_copy(cross, arena);

    if (!copy)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < copy->count; i++)
        copy->columns[i].cell = (uint32_t)narrowing->places[cross->columns[i].cell];
    kept->cross = copy;
    return STATUS_OK;
}

static enum status keep_vectors(struct narrowing *narrowing, struct vector *items,
                                struct arena *arena, struct error *err)
{
    const struct vectors *all = &narrowing->cells->query.vectors;
    struct vectors *kept = &narrowing->rows->vectors;

    *kept = (struct vectors){.items = items, .columns = narrowing->rows->column_count};
    for (size_t i = 0; i < all->count; i++) {
        const struct vector *vector = &all->items[i];
        struct vector *item = &items[kept->count];

        if (!vector->cross && narrowing->places[vector->column] == UNUSED_COLUMN)
            continue;
        *item = *vector;
        if (vector->cross)
            TRY(keep_cross(narrowing, vector->cross, arena, item, err));
        else
            item->column = (uint32_t)narrowing->places[vector->column];
        narrowing->kept[i] = kept->count++;
        kept->elements += vector->size;
    }
    return STATUS_OK;
}

static void place_cells(struct narrowing *narrowing)
{
    const struct spool_cells *cells = narrowing->cells;
    struct direct_rows *rows = narrowing->rows;

    for (size_t i = 0; i < narrowing->count; i++) {
        const struct vector *vector;
        uint32_t element = 0;

        if ((size_t)cells->columns[i] < cells->query.count) {
            rows->cells[i] = narrowing->places[cells->columns[i]];
            continue;
        }
        vector = vector_of(&cells->query.vectors, cells->columns[i], &element);
        vector = &rows->vectors.items[narrowing->kept[vector - cells->query.vectors.items]];
        rows->cells[i] = (int)(vectors_first(&rows->vectors, vector) + element);
    }
}

static enum status narrow(const struct spool_cells *cells, struct arena *arena,
                          struct direct_rows *rows, struct error *err)
{
    struct narrowing narrowing = {.cells = cells,
                                  .count = cells->counted ? cells->counted : cells->count,
                                  .rows = rows,
                                  .places = ARENA_NEW(arena, int, cells->query.count),
                                  .kept = ARENA_NEW(arena, size_t, cells->query.vectors.count + 1)};
    struct vector *items = ARENA_NEW(arena, struct vector, cells->query.vectors.count + 1);

    rows->columns = ARENA_NEW(arena, struct slice, cells->query.count);
    rows->cells = ARENA_NEW(arena, int, narrowing.count);
    rows->are_keys = ARENA_NEW(arena, bool, narrowing.count);
    if (!narrowing.places || !narrowing.kept || !items || !rows->columns || !rows->cells ||
        !rows->are_keys)
        return fail_no_memory(err);
    rows->counted = cells->counted;
    for (uint32_t i = 0; i < cells->counted; i++)
        rows->are_keys[i] = cells->are_keys[i];
    for (size_t i = 0; i < cells->query.count; i++)
        narrowing.places[i] = UNUSED_COLUMN;
    rows->spooled = cells->spooled;
    rows->count = cells->count;
    need_columns(&narrowing);
    TRY(keep_vectors(&narrowing, items, arena, err));
    place_cells(&narrowing);
    return STATUS_OK;
}

static enum status write_file(const struct job_folder *folder, const struct direct_order *order,
                              struct error *err)
{
    enum status status;
    struct text json;

    text_init(&json, DIRECT_BYTES_MAX);
    status = direct_order_write(order, &json, err);
    if (status == STATUS_OK)
        status = job_folder_write(folder, DIRECT_FILE, text_slice(&json), err);
    text_deinit(&json);
    return status;
}

enum status direct_prepare(const struct host *host, const struct plan *plan, bool counts,
                           const struct job_folder *folder, struct arena *arena,
                           struct direct_order *order, struct error *err)
{
    static const struct slice names[] = {{"train", 5}, {"validation", 10}};
    struct spool_cells cells[2];

    if (!host->cluster) {
        fail(err, STATUS_UNSUPPORTED, "job.read = 'direct' needs tables of PostgreSQL");
        return error_hint(err, "Without it this session reads the rows.");
    }
    TRY(spool_list_cells(host, plan, counts, arena, cells, &order->count, err));
    for (size_t i = 0; i < order->count; i++) {
        struct direct_rows *rows = &order->rows[i];

        *rows = (struct direct_rows){.spool = names[i]};
        TRY(narrow(&cells[i], arena, rows, err));
        TRY(host->cluster->find_table(host->cluster->self, cells[i].select, rows->columns,
                                      rows->column_count, arena, &rows->table, err));
        direct_table_cut(&rows->table, plan->spec.max_workers);
    }
    if (direct_order_shards(order) > JOBSPEC_STAGED_MAX)
        return fail(err, STATUS_LIMIT,
                    "the table has more foreign partitions than job.read = 'direct' reads: %d",
                    JOBSPEC_STAGED_MAX);
    return write_file(folder, order, err);
}
