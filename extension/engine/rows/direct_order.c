#include "extension/engine/rows/direct_order.h"

#include "base/json.h"
#include "params/terms.h"

#define COLUMNS_MAX SPOOL_COLUMNS_MAX

/* ----- out ----- */

static cJSON *write_vectors(const struct vectors *vectors)
{
    cJSON *array = cJSON_CreateArray();

    for (size_t i = 0; i < vectors->count; i++) {
        cJSON *item = cJSON_CreateObject();
        json_add_integer(item, "column", vectors->items[i].column);
        json_add_integer(item, "size", vectors->items[i].size);
        json_append(array, item);
    }
    return array;
}

static cJSON *write_rows(const struct direct_rows *rows)
{
    cJSON *object = cJSON_CreateObject(), *list;

    json_add_string(object, "spool", rows->spool);
    json_add_integer(object, "table", rows->table.relation);
    list = json_add_array(object, "leaves");
    for (size_t i = 0; i < rows->table.leaf_count; i++)
        json_append(list, json_integer(rows->table.leaves[i]));
    list = json_add_array(object, "columns");
    for (size_t i = 0; i < rows->column_count; i++)
        json_append(list, json_string(rows->columns[i]));
    json_add(object, "vectors", write_vectors(&rows->vectors));
    list = json_add_array(object, "cells");
    for (size_t i = 0; i < rows->count; i++) {
        cJSON *item = cJSON_CreateObject();
        json_add_string(item, "name", rows->spooled[i].name);
        json_add_string(item, "type", slice_of(spool_type_words[rows->spooled[i].type]));
        json_add_integer(item, "from", rows->cells[i]);
        json_append(list, item);
    }
    return object;
}

enum status direct_order_write(const struct direct_order *order, struct text *json,
                               struct error *err)
{
    cJSON *list = cJSON_CreateArray();
    enum status status;

    for (size_t i = 0; i < order->count; i++)
        json_append(list, write_rows(&order->rows[i]));
    status = json_print(list, false, json, err);
    cJSON_Delete(list);
    return status;
}

/* ----- in ----- */

static enum status read_leaves(const cJSON *object, struct arena *arena, struct direct_table *table,
                               struct error *err)
{
    const cJSON *list, *item;

    TRY(json_get_array(object, "leaves", DIRECT_LEAVES_MAX, &list, err));
    table->leaves = ARENA_NEW(arena, uint32_t, (size_t)cJSON_GetArraySize(list) + 1);
    if (!table->leaves)
        return fail_no_memory(err);
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item) || item->valuedouble < 1 || item->valuedouble > UINT32_MAX ||
            item->valuedouble != (double)(uint32_t)item->valuedouble)
            return fail(err, STATUS_CORRUPT, "a leaf of the job's table is no OID");
        table->leaves[table->leaf_count++] = (uint32_t)item->valuedouble;
    }
    return STATUS_OK;
}

static enum status read_columns(const cJSON *object, struct arena *arena, struct direct_rows *rows,
                                struct error *err)
{
    const cJSON *list, *item;

    TRY(json_get_array(object, "columns", COLUMNS_MAX, &list, err));
    rows->columns = ARENA_NEW(arena, struct slice, (size_t)cJSON_GetArraySize(list) + 1);
    if (!rows->columns)
        return fail_no_memory(err);
    cJSON_ArrayForEach(item, list)
    {
        struct slice *column = &rows->columns[rows->column_count];

        if (!cJSON_IsString(item))
            return fail(err, STATUS_CORRUPT, "a column of the job's table has no name");
        *column = arena_copy(arena, slice_of(item->valuestring));
        if (!column->data)
            return fail_no_memory(err);
        rows->column_count++;
    }
    return rows->column_count > 0 ? STATUS_OK
                                  : fail(err, STATUS_CORRUPT, "the job's table has no columns");
}

static enum status read_vectors(const cJSON *object, struct arena *arena, struct direct_rows *rows,
                                struct error *err)
{
    struct vectors *vectors = &rows->vectors;
    const cJSON *list, *item;
    struct vector *items;

    TRY(json_get_array(object, "vectors", COLUMNS_MAX, &list, err));
    items = ARENA_NEW(arena, struct vector, (size_t)cJSON_GetArraySize(list) + 1);
    if (!items)
        return fail_no_memory(err);
    *vectors = (struct vectors){.items = items, .columns = rows->column_count};
    cJSON_ArrayForEach(item, list)
    {
        int64_t column, size;

        TRY(json_get_integer(item, "column", 0, (int64_t)rows->column_count - 1, &column, err));
        TRY(json_get_integer(item, "size", 1, VECTOR_ELEMENTS_MAX, &size, err));
        items[vectors->count++] =
            (struct vector){rows->columns[column], (uint32_t)column, (uint32_t)size};
        vectors->elements += (size_t)size;
    }
    return vectors->elements <= VECTOR_ELEMENTS_MAX
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "the vectors of the job's table are too long");
}

static enum status read_type(const cJSON *item, enum spool_type *type, struct error *err)
{
    struct slice name;
    unsigned found;

    TRY(json_get_string(item, "type", &name, err));
    if (term_find(spool_type_words, name, &found)) {
        *type = (enum spool_type)found;
        return STATUS_OK;
    }
    return fail(err, STATUS_CORRUPT, "\"%.40s\" is no type of a spool", name.data);
}

static enum status read_cell(const cJSON *item, struct arena *arena, struct direct_rows *rows,
                             struct error *err)
{
    const int64_t from_max = (int64_t)(rows->column_count + rows->vectors.elements) - 1;
    struct spool_column *column = &rows->spooled[rows->count];
    struct slice name;
    int64_t from;

    TRY(json_get_string(item, "name", &name, err));
    TRY(json_get_integer(item, "from", 0, from_max, &from, err));
    TRY(read_type(item, &column->type, err));
    column->name = arena_copy(arena, name);
    rows->cells[rows->count++] = (int)from;
    return column->name.data ? STATUS_OK : fail_no_memory(err);
}

static enum status read_cells(const cJSON *object, struct arena *arena, struct direct_rows *rows,
                              struct error *err)
{
    const cJSON *list, *item;

    TRY(json_get_array(object, "cells", COLUMNS_MAX, &list, err));
    rows->spooled = ARENA_NEW(arena, struct spool_column, (size_t)cJSON_GetArraySize(list) + 1);
    rows->cells = ARENA_NEW(arena, int, (size_t)cJSON_GetArraySize(list) + 1);
    if (!rows->spooled || !rows->cells)
        return fail_no_memory(err);
    cJSON_ArrayForEach(item, list) TRY(read_cell(item, arena, rows, err));
    return rows->count > 0 ? STATUS_OK : fail(err, STATUS_CORRUPT, "the job's spool has no cells");
}

static enum status read_rows(const cJSON *object, struct arena *arena, struct direct_rows *rows,
                             struct error *err)
{
    int64_t relation;

    *rows = (struct direct_rows){.count = 0};
    TRY(json_get_string(object, "spool", &rows->spool, err));
    if (slice_is(rows->spool, "train"))
        rows->spool = SLICE("train");
    else if (slice_is(rows->spool, "validation"))
        rows->spool = SLICE("validation");
    else
        return fail(err, STATUS_CORRUPT, "\"%.40s\" is none of a job's spools", rows->spool.data);
    TRY(json_get_integer(object, "table", 1, UINT32_MAX, &relation, err));
    rows->table.relation = (uint32_t)relation;
    TRY(read_leaves(object, arena, &rows->table, err));
    TRY(read_columns(object, arena, rows, err));
    TRY(read_vectors(object, arena, rows, err));
    return read_cells(object, arena, rows, err);
}

static enum status read_list(const cJSON *list, struct arena *arena, struct direct_order *order,
                             struct error *err)
{
    const cJSON *item;

    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) < 1 || cJSON_GetArraySize(list) > 2)
        return fail(err, STATUS_CORRUPT, "no order to read one or two tables");
    cJSON_ArrayForEach(item, list) TRY(read_rows(item, arena, &order->rows[order->count++], err));
    return STATUS_OK;
}

enum status direct_order_read(struct slice json, struct arena *arena, struct direct_order *order,
                              struct error *err)
{
    enum status status;
    cJSON *list;

    order->count = 0;
    TRY(json_parse(json, DIRECT_BYTES_MAX, &list, err));
    status = read_list(list, arena, order, err);
    cJSON_Delete(list);
    return status;
}
