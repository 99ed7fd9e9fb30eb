#include "extension/engine/rows/direct_order.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "inputs/cell_list_json.h"
#include "jobspec/jobspec.h"
#include "params/terms.h"
#include "runtime/data/dataset/dataset.h"

#define COLUMNS_MAX SPOOL_COLUMNS_MAX

/* ----- shards ----- */

static bool has_foreign(const struct direct_table *table)
{
    for (size_t i = 0; i < table->leaf_count; i++)
        if (table->leaves[i].is_foreign)
            return true;
    return false;
}

static uint64_t shards_of(uint64_t pages, uint64_t shard_pages)
{
    return pages > 0 ? (pages + shard_pages - 1) / shard_pages : 1;
}

/* The pages of the largest leaf: a piece has the same pages of all leaves. */
static uint64_t most_pages(const struct direct_table *table)
{
    uint64_t most = 0;

    for (size_t i = 0; i < table->leaf_count; i++)
        if (table->leaves[i].pages > most)
            most = table->leaves[i].pages;
    return most;
}

void direct_table_cut(struct direct_table *table, uint32_t workers)
{
    uint64_t pages = most_pages(table), share;

    if (has_foreign(table)) {
        pages = 0;
        for (size_t i = 0; i < table->leaf_count; i++)
            pages += table->leaves[i].pages;
    }
    share = pages / DIRECT_SHARDS_A_WORKER / (workers > 0 ? workers : 1) + 1;
    if (share > DIRECT_SHARD_PAGES_MOST)
        share = DIRECT_SHARD_PAGES_MOST;
    if (share < pages / DIRECT_SHARDS_MAX + 1)
        share = pages / DIRECT_SHARDS_MAX + 1;
    table->shard_pages = share < DIRECT_SHARD_PAGES_LEAST ? DIRECT_SHARD_PAGES_LEAST : share;
}

uint64_t direct_table_shards(const struct direct_table *table)
{
    uint64_t shards = 0;

    if (!has_foreign(table))
        return shards_of(most_pages(table), table->shard_pages);
    for (size_t i = 0; i < table->leaf_count; i++)
        shards += shards_of(table->leaves[i].pages, table->shard_pages);
    return shards;
}

static struct direct_piece piece_of(uint64_t shard, uint64_t shards, uint64_t shard_pages)
{
    struct direct_piece piece = {.first_page = shard * shard_pages};

    if (shard + 1 < shards)
        piece.end_page = piece.first_page + shard_pages;
    return piece;
}

struct direct_piece direct_table_piece(const struct direct_table *table, uint32_t shard)
{
    struct direct_piece piece = {.relation = table->relation};

    if (!has_foreign(table)) {
        piece = piece_of(shard, direct_table_shards(table), table->shard_pages);
        piece.relation = table->relation;
        return piece;
    }
    for (size_t i = 0; i < table->leaf_count; i++) {
        const struct direct_leaf *leaf = &table->leaves[i];
        const uint64_t shards = shards_of(leaf->pages, table->shard_pages);

        if (shard >= shards) {
            shard -= (uint32_t)shards;
            continue;
        }
        piece = piece_of(shard, shards, table->shard_pages);
        piece.relation = leaf->relation;
        piece.is_leaf = true;
        piece.is_foreign = leaf->is_foreign;
        break;
    }
    return piece;
}

uint64_t direct_order_shards(const struct direct_order *order)
{
    uint64_t shards = 0;

    for (size_t i = 0; i < order->count; i++)
        shards += direct_table_shards(&order->rows[i].table);
    return shards;
}

struct spool_order direct_spool_order(const struct direct_rows *rows, const struct jobspec *spec,
                                      uint32_t threads)
{
    struct spool_order order = dataset_order(spec, !slice_is(rows->spool, "train"), threads);

    order.counted = rows->counted;
    order.are_keys = rows->are_keys;
    return order;
}

/* ----- out ----- */

static cJSON *write_leaf(const struct direct_leaf *leaf)
{
    cJSON *object = cJSON_CreateObject();

    json_add_integer(object, "table", leaf->relation);
    json_add_integer(object, "pages", (int64_t)leaf->pages);
    json_add_boolean(object, "foreign", leaf->is_foreign);
    return object;
}

static cJSON *write_vectors(const struct vectors *vectors)
{
    cJSON *array = cJSON_CreateArray();

    for (size_t i = 0; i < vectors->count; i++) {
        cJSON *item = cJSON_CreateObject();
        if (vectors->items[i].cross) {
            json_add_integer(item, "buckets", vectors->items[i].cross->buckets);
            json_add(item, "cross", cross_to_json(vectors->items[i].cross));
            json_append(array, item);
            continue;
        }
        json_add_integer(item, "column", vectors->items[i].column);
        json_add_integer(item, "size", vectors->items[i].size);
        if (vectors->items[i].parts)
            json_add_integer(item, "parts", vectors->items[i].parts);
        if (vectors->items[i].reading != READING_NUMBER)
            json_add_string(item, "reading",
                            slice_of(input_reading_words[vectors->items[i].reading]));
        if (vectors->items[i].list.form)
            cell_list_write(&vectors->items[i].list, item);
        if (vectors->items[i].is_counted)
            json_add_boolean(item, "counted", true);
        json_append(array, item);
    }
    return array;
}

/* Which of them may be keys, and where those lie that are counted alone. */
static cJSON *write_counted(const struct direct_rows *rows)
{
    cJSON *object = cJSON_CreateObject(), *keys = json_add_array(object, "keys");
    cJSON *behind = json_add_array(object, "behind");

    for (uint32_t i = 0; i < rows->counted; i++)
        if (rows->are_keys[i])
            json_append(keys, cJSON_CreateNumber(i));
    for (size_t i = rows->count; i < rows->counted; i++)
        json_append(behind, cJSON_CreateNumber(rows->cells[i]));
    return object;
}

static cJSON *write_rows(const struct direct_rows *rows)
{
    cJSON *object = cJSON_CreateObject(), *list;

    json_add_string(object, "spool", rows->spool);
    json_add_integer(object, "table", rows->table.relation);
    list = json_add_array(object, "leaves");
    for (size_t i = 0; i < rows->table.leaf_count; i++)
        json_append(list, write_leaf(&rows->table.leaves[i]));
    json_add_integer(object, "shard_pages", (int64_t)rows->table.shard_pages);
    list = json_add_array(object, "columns");
    for (size_t i = 0; i < rows->column_count; i++)
        json_append(list, json_string(rows->columns[i]));
    json_add(object, "vectors", write_vectors(&rows->vectors));
    list = json_add_array(object, "cells");
    for (size_t i = 0; i < rows->count; i++) {
        cJSON *item = cJSON_CreateObject();
        json_add_string(item, "name", rows->spooled[i].name);
        json_add_string(item, "type", slice_of(spool_type_words[rows->spooled[i].type]));
        if (rows->spooled[i].reading != READING_NUMBER)
            json_add_string(item, "reading",
                            slice_of(input_reading_words[rows->spooled[i].reading]));
        if (rows->spooled[i].ids)
            json_add_integer(item, "ids", rows->spooled[i].ids);
        if (rows->spooled[i].items.form)
            cell_list_write(&rows->spooled[i].items, item);
        json_add_integer(item, "from", rows->cells[i]);
        json_append(list, item);
    }
    if (rows->counted)
        json_add(object, "counted", write_counted(rows));
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

static enum status read_leaf(const cJSON *item, struct direct_leaf *leaf, struct error *err)
{
    int64_t relation, pages;

    TRY(json_get_integer(item, "table", 1, UINT32_MAX, &relation, err));
    TRY(json_get_integer(item, "pages", 0, UINT32_MAX, &pages, err));
    TRY(json_get_boolean(item, "foreign", &leaf->is_foreign, err));
    if (leaf->is_foreign && pages > 0)
        return fail(err, STATUS_CORRUPT, "a foreign leaf of the job's table has pages");
    leaf->relation = (uint32_t)relation;
    leaf->pages = (uint64_t)pages;
    return STATUS_OK;
}

static enum status read_leaves(const cJSON *object, struct arena *arena, struct direct_table *table,
                               struct error *err)
{
    const cJSON *list, *item;
    int64_t pages;

    TRY(json_get_array(object, "leaves", DIRECT_LEAVES_MAX, &list, err));
    table->leaves = ARENA_NEW(arena, struct direct_leaf, (size_t)cJSON_GetArraySize(list) + 1);
    if (!table->leaves)
        return fail_no_memory(err);
    cJSON_ArrayForEach(item, list) TRY(read_leaf(item, &table->leaves[table->leaf_count++], err));
    TRY(json_get_integer(object, "shard_pages", 1, UINT32_MAX, &pages, err));
    table->shard_pages = (uint64_t)pages;
    return direct_table_shards(table) <= JOBSPEC_STAGED_MAX
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "the job's table has too many shards");
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

/* Its columns are among those that are read. */
static enum status read_cross(const cJSON *item, struct arena *arena,
                              const struct direct_rows *rows, struct vector *vector,
                              struct error *err)
{
    struct cross *cross;
    int64_t buckets;

    TRY(json_get_integer(item, "buckets", 1, CATEGORY_WORDS_MAX, &buckets, err));
    TRY(cross_from_json(item, "cross", (uint32_t)buckets, arena, &cross, err));
    for (uint32_t i = 0; i < cross->count; i++) {
        struct cross_column *column = &cross->columns[i];

        while (column->cell < rows->column_count &&
               !slice_equal(rows->columns[column->cell], column->name))
            column->cell++;
        if (column->cell == rows->column_count)
            return fail(err, STATUS_CORRUPT, "the job's table has no column of a cross");
    }
    *vector = (struct vector){.column = VECTOR_NO_COLUMN, .size = 1, .cross = cross};
    return STATUS_OK;
}

/* Left out where it is that of plain numbers. */
static enum status read_reading(const cJSON *item, enum input_reading *reading, struct error *err)
{
    struct slice word;
    unsigned found;

    *reading = READING_NUMBER;
    if (!json_has(item, "reading"))
        return STATUS_OK;
    TRY(json_get_string(item, "reading", &word, err));
    if (!term_find(input_reading_words, word, &found))
        return fail(err, STATUS_CORRUPT, "\"%.40s\" is no reading of a cell", word.data);
    *reading = (enum input_reading)found;
    return STATUS_OK;
}

static enum status read_vector(const cJSON *item, const struct direct_rows *rows,
                               struct vector *vector, struct error *err)
{
    struct cell_list list = {LIST_NONE};
    int64_t column, size, parts = 0;
    enum input_reading reading;
    bool is_counted = false;

    TRY(json_get_integer(item, "column", 0, (int64_t)rows->column_count - 1, &column, err));
    if (json_has(item, "list"))
        TRY(cell_list_get(item, &list, err));
    TRY(json_get_integer(item, "size", 1,
                         cell_list_has_bytes(&list) ? PICTURE_NUMBERS_MAX : VECTOR_ELEMENTS_MAX,
                         &size, err));
    if (json_has(item, "parts"))
        TRY(json_get_integer(item, "parts", 0, DATE_PARTS_ALL, &parts, err));
    if ((parts & ~(int64_t)DATE_PARTS_ALL) ||
        (parts && date_parts_count((uint32_t)parts) != (uint32_t)size))
        return fail(err, STATUS_CORRUPT, "a column of dates with other parts than elements");
    TRY(read_reading(item, &reading, err));
    if (reading != READING_NUMBER && !(parts && reading_is_of_dates(reading)))
        return fail(err, STATUS_CORRUPT, "a reading of dates of a column that holds none");
    if (json_has(item, "counted"))
        TRY(json_get_boolean(item, "counted", &is_counted, err));
    if (list.form ? parts || list.size != size : is_counted)
        return fail(err, STATUS_CORRUPT, "a column of lists of another size");
    *vector = (struct vector){.name = rows->columns[column],
                              .column = (uint32_t)column,
                              .size = (uint32_t)size,
                              .parts = (uint32_t)parts,
                              .reading = reading,
                              .list = list,
                              .is_counted = is_counted};
    return STATUS_OK;
}

static enum status read_vectors(const cJSON *object, struct arena *arena, struct direct_rows *rows,
                                struct error *err)
{
    struct vectors *vectors = &rows->vectors;
    const cJSON *list, *item;
    struct vector *items;
    size_t pixels = 0;

    TRY(json_get_array(object, "vectors", COLUMNS_MAX, &list, err));
    items = ARENA_NEW(arena, struct vector, (size_t)cJSON_GetArraySize(list) + 1);
    if (!items)
        return fail_no_memory(err);
    *vectors = (struct vectors){.items = items, .columns = rows->column_count};
    cJSON_ArrayForEach(item, list)
    {
        struct vector *vector = &items[vectors->count++];

        TRY(json_has(item, "cross") ? read_cross(item, arena, rows, vector, err)
                                    : read_vector(item, rows, vector, err));
        vectors->elements += vector->size;
        pixels += cell_list_has_bytes(&vector->list) ? vector->size : 0;
    }
    return pixels <= PICTURE_NUMBERS_MAX && vectors->elements - pixels <= VECTOR_ELEMENTS_MAX
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

/* Left out where whole numbers are no ids, and texts no lists. */
static enum status read_ids(const cJSON *item, struct spool_column *column, struct error *err)
{
    int64_t ids;

    if (json_has(item, "list")) {
        TRY(cell_list_get(item, &column->items, err));
        if (!cell_list_has_items(&column->items) || column->type != SPOOL_TEXT)
            return fail(err, STATUS_CORRUPT, "a column of lists that are no texts of items");
    }
    if (!json_has(item, "ids"))
        return STATUS_OK;
    TRY(json_get_integer(item, "ids", 1, CATEGORY_WORDS_MAX, &ids, err));
    column->ids = (uint32_t)ids;
    return column->type == SPOOL_INTEGER || column->items.form
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "a column of ids that are no whole numbers");
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
    TRY(read_reading(item, &column->reading, err));
    TRY(read_ids(item, column, err));
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

/* A whole number below `end`. */
static enum status read_number(const cJSON *item, size_t end, size_t *number, struct error *err)
{
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble < (double)end) ||
        item->valuedouble != floor(item->valuedouble))
        return fail(err, STATUS_CORRUPT, "what is counted of the job's table is not there");
    *number = (size_t)item->valuedouble;
    return STATUS_OK;
}

/* Behind the cells that are written those that are counted alone. */
static enum status read_behind(const cJSON *list, struct arena *arena, struct direct_rows *rows,
                               struct error *err)
{
    const size_t counted = rows->count + (size_t)cJSON_GetArraySize(list);
    int *cells = ARENA_NEW(arena, int, counted);
    const cJSON *item;

    rows->are_keys = ARENA_NEW(arena, bool, counted);
    if (!cells || !rows->are_keys)
        return fail_no_memory(err);
    memcpy(cells, rows->cells, rows->count * sizeof *cells);
    rows->counted = (uint32_t)rows->count;
    cJSON_ArrayForEach(item, list)
    {
        size_t from = 0;

        TRY(read_number(item, rows->column_count, &from, err));
        cells[rows->counted++] = (int)from;
    }
    rows->cells = cells;
    return STATUS_OK;
}

/* Left out where nothing is counted. */
static enum status read_counted(const cJSON *object, struct arena *arena, struct direct_rows *rows,
                                struct error *err)
{
    const cJSON *counted, *keys, *behind, *item;

    if (!json_has(object, "counted"))
        return STATUS_OK;
    TRY(json_get_object(object, "counted", &counted, err));
    TRY(json_get_array(counted, "keys", COLUMNS_MAX, &keys, err));
    TRY(json_get_array(counted, "behind", COLUMNS_MAX, &behind, err));
    TRY(read_behind(behind, arena, rows, err));
    cJSON_ArrayForEach(item, keys)
    {
        size_t key = 0;

        TRY(read_number(item, rows->counted, &key, err));
        rows->are_keys[key] = true;
    }
    rows->vectors.waits = true;
    return STATUS_OK;
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
        return fail(err, STATUS_CORRUPT, "\"%.40s\" is not one of a job's spools",
                    rows->spool.data);
    TRY(json_get_integer(object, "table", 1, UINT32_MAX, &relation, err));
    rows->table.relation = (uint32_t)relation;
    TRY(read_leaves(object, arena, &rows->table, err));
    TRY(read_columns(object, arena, rows, err));
    TRY(read_vectors(object, arena, rows, err));
    TRY(read_cells(object, arena, rows, err));
    return read_counted(object, arena, rows, err);
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
