#include "planner/plan/vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inputs/cells/dates.h"
#include "planner/plan/catalog.h"

/* ----- of a query ----- */

static size_t elements_of(const struct query_column *column)
{
    if (column->list.form)
        return column->list.size;
    return column->parts ? date_parts_count(column->parts) : column->elements;
}

/* v[1] of an array, l[0] of ids, d.age of a date. */
static enum status name_element(const struct vector *vector, uint32_t i, struct arena *arena,
                                struct slice *name, struct error *err)
{
    char tail[32];
    size_t size;
    char *bytes;

    if (vector->parts)
        size = (size_t)snprintf(tail, sizeof tail, ".%s", date_part_words[vector_part(vector, i)]);
    else
        size = (size_t)snprintf(
            tail, sizeof tail, "[%u]",
            vector->list.form == LIST_SPARSE || vector->list.form == LIST_WORDS ? i : i + 1);
    bytes = arena_alloc(arena, vector->name.size + size + 1);
    if (!bytes)
        return fail_no_memory(err);
    memcpy(bytes, vector->name.data, vector->name.size);
    memcpy(bytes + vector->name.size, tail, size + 1);
    *name = (struct slice){bytes, vector->name.size + size};
    return STATUS_OK;
}

static enum status add_vector(struct query *query, size_t column, struct vector *vector,
                              struct arena *arena, struct error *err)
{
    const struct query_column *of = &query->columns[column];
    struct query_column *elements = &query->columns[query->count + query->vectors.elements];

    *vector = (struct vector){.name = of->name,
                              .column = (uint32_t)column,
                              .size = (uint32_t)elements_of(of),
                              .parts = of->parts,
                              .reading = of->parts ? of->date_reading : READING_NUMBER,
                              .list = of->list,
                              .is_counted = of->list_is_counted};
    for (uint32_t i = 0; i < vector->size; i++) {
        elements[i] =
            (struct query_column){.declared_type = of->declared_type,
                                  .nulls = of->nulls,
                                  .reals = of->list.form ? of->texts + of->vectors : of->vectors,
                                  .dates = of->dates,
                                  .blank_texts = of->parts ? of->blank_texts : 0};
        TRY(name_element(vector, i, arena, &elements[i].name, err));
    }
    query->vectors.elements += vector->size;
    query->vectors.count++;
    return STATUS_OK;
}

static void add_cross(struct query *query, const struct query_cross *cross, struct vector *vector)
{
    *vector = (struct vector){
        .name = cross->name, .column = VECTOR_NO_COLUMN, .size = 1, .cross = cross->cross};
    query->columns[query->count + query->vectors.elements++] =
        (struct query_column){.name = cross->name};
    query->vectors.count++;
}

/* Looked at before there is room for them. */
static enum status check_elements(size_t count, size_t pixels, struct error *err)
{
    if (pixels > PICTURE_NUMBERS_MAX) {
        fail(err, STATUS_LIMIT, "the pictures of a row have %zu numbers, at most %d are read",
             pixels, PICTURE_NUMBERS_MAX);
        return error_hint(err, "Make smaller pictures of them, or leave some out of COLUMN.");
    }
    if (count <= VECTOR_ELEMENTS_MAX)
        return STATUS_OK;
    fail(err, STATUS_LIMIT, "the arrays of a row have %zu elements, at most %d are read", count,
         VECTOR_ELEMENTS_MAX);
    return error_hint(err, "Leave those out of the SELECT that the model does not need.");
}

enum status query_add_elements(struct query *query, struct arena *arena, struct error *err)
{
    const size_t count = query->count;
    size_t vectors = query->cross_count, elements = query->cross_count, pixels = 0;
    struct query_column *columns;
    struct vector *items;

    for (size_t i = 0; i < count; i++) {
        vectors += elements_of(&query->columns[i]) > 0;
        elements += elements_of(&query->columns[i]);
        if (cell_list_has_bytes(&query->columns[i].list))
            pixels += query->columns[i].list.size;
    }
    query->vectors = (struct vectors){.columns = count};
    if (vectors == 0)
        return STATUS_OK;
    TRY(check_elements(elements - pixels, pixels, err));
    columns = ARENA_NEW(arena, struct query_column, count + elements);
    items = ARENA_NEW(arena, struct vector, vectors);
    if (!columns || !items)
        return fail_no_memory(err);
    memcpy(columns, query->columns, count * sizeof *columns);
    query->columns = columns;
    query->vectors.items = items;
    for (size_t i = 0; i < count; i++)
        if (elements_of(&columns[i]) > 0)
            TRY(add_vector(query, i, &items[query->vectors.count], arena, err));
    for (size_t i = 0; i < query->cross_count; i++)
        add_cross(query, &query->crosses[i], &items[query->vectors.count]);
    return STATUS_OK;
}

enum status query_as_described(const struct query *planned, struct arena *arena,
                               struct query *query, struct error *err)
{
    *query = *planned;
    query->vectors = (struct vectors){0};
    query->cross_count = 0;
    query->columns = ARENA_NEW(arena, struct query_column, planned->count + 1);
    if (!query->columns)
        return fail_no_memory(err);
    memcpy(query->columns, planned->columns, planned->count * sizeof *query->columns);
    for (size_t i = 0; i < query->count; i++) {
        query->columns[i].parts = 0;
        query->columns[i].list = (struct cell_list){LIST_NONE};
        query->columns[i].list_is_counted = false;
    }
    return STATUS_OK;
}

/* *copy NULL: this query has not all of its columns. */
static enum status take_cross(const struct query *query, const struct cross *cross,
                              struct arena *arena, struct cross **copy, struct error *err)
{
    *copy = cross_copy(cross, arena);
    if (!*copy)
        return fail_no_memory(err);
    for (uint32_t i = 0; *copy && i < cross->count; i++) {
        struct cross_column *column = &(*copy)->columns[i];

        column->cell = 0;
        while (column->cell < query->count &&
               !slice_equal_fold(query->columns[column->cell].name, column->name))
            column->cell++;
        if (column->cell == query->count)
            *copy = NULL;
    }
    return STATUS_OK;
}

static enum status take_crosses(struct query *query, const struct query *from, struct arena *arena,
                                struct error *err)
{
    struct query_cross *crosses = ARENA_NEW(arena, struct query_cross, from->cross_count + 1);
    struct cross *cross;

    if (!crosses)
        return fail_no_memory(err);
    query->crosses = crosses;
    query->cross_count = 0;
    for (size_t i = 0; i < from->cross_count; i++) {
        TRY(take_cross(query, from->crosses[i].cross, arena, &cross, err));
        if (cross)
            crosses[query->cross_count++] = (struct query_cross){from->crosses[i].name, cross};
    }
    return STATUS_OK;
}

enum status query_take_parts(struct query *query, const struct query *from, struct arena *arena,
                             struct error *err)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct query_column *column = &from->columns[i];

        for (size_t j = 0; (column->parts || column->list.form) && j < query->count; j++)
            if (slice_equal_fold(query->columns[j].name, column->name)) {
                query->columns[j].parts = column->parts;
                query->columns[j].date_reading = column->date_reading;
                query->columns[j].list = column->list;
            }
    }
    return take_crosses(query, from, arena, err);
}

const struct vector *vectors_find(const struct vectors *vectors, size_t column)
{
    for (size_t i = 0; i < vectors->count; i++)
        if (vectors->items[i].column == column)
            return &vectors->items[i];
    return NULL;
}

size_t vectors_first(const struct vectors *vectors, const struct vector *vector)
{
    size_t first = vectors->columns;

    for (size_t i = 0; &vectors->items[i] != vector; i++)
        first += vectors->items[i].size;
    return first;
}

/* ----- of a row ----- */

static enum status refuse(const struct vector *vector, const struct cell *cell, struct error *err)
{
    if (cell->type != CELL_VECTOR)
        return fail(err, STATUS_INVALID, "column \"%.*s\" no longer holds arrays of numbers",
                    SLICE_FORMAT(vector->name));
    if (cell->integer == VECTOR_HAS_DIMENSIONS)
        return fail(err, STATUS_INVALID,
                    "column \"%.*s\" holds an array of several dimensions, where one was expected",
                    SLICE_FORMAT(vector->name));
    if (cell->integer == VECTOR_HAS_NULLS)
        return fail(err, STATUS_INVALID,
                    "column \"%.*s\" holds an array with NULL among its elements",
                    SLICE_FORMAT(vector->name));
    return fail(err, STATUS_INVALID,
                "column \"%.*s\" holds an array of %zu element%s, where %u %s expected",
                SLICE_FORMAT(vector->name), cell_elements(cell),
                cell_elements(cell) == 1 ? "" : "s", vector->size,
                vector->size == 1 ? "was" : "were");
}

enum date_part vector_part(const struct vector *vector, uint32_t i)
{
    uint32_t parts = vector->parts;

    while (i-- > 0)
        parts &= parts - 1; /* without the lowest */
    return (enum date_part)__builtin_ctz(parts);
}

static enum status spread_date(const struct vector *vector, const struct cell *cell,
                               struct cell *elements, struct error *err)
{
    struct date date;
    bool is_null;

    if (cell_to_date(cell, vector->reading, vector->name, &date, &is_null, err) != STATUS_OK)
        return error_hint(err,
                          "train.bad_rows = 'skip' leaves such rows out; COLUMN VOCABULARY(%s) "
                          "reads the column's values as words.",
                          SQL_NAME(vector->name));
    for (uint32_t i = 0; i < vector->size; i++)
        elements[i] = is_null ? (struct cell){.type = CELL_NULL}
                              : date_part_cell(&date, vector_part(vector, i));
    return STATUS_OK;
}

static enum status spread_list(const struct vector *vector, const struct cell *cell,
                               struct cell *elements, struct error *err)
{
    double numbers[LIST_NUMBERS_MAX];
    bool is_null;

    TRY(cell_list_read(cell, &vector->list, vector->name, numbers, &is_null, err));
    for (uint32_t i = 0; i < vector->size; i++)
        elements[i] = (struct cell){.type = is_null ? CELL_NULL : CELL_REAL, .real = numbers[i]};
    return STATUS_OK;
}

enum status vector_spread(const struct vector *vector, const struct cell *cell,
                          struct cell *elements, struct error *err)
{
    if (vector->parts)
        return spread_date(vector, cell, elements, err);
    if (vector->list.form)
        return spread_list(vector, cell, elements, err);
    if (cell->type == CELL_NULL) {
        for (uint32_t i = 0; i < vector->size; i++)
            elements[i].type = CELL_NULL;
        return STATUS_OK;
    }
    if (cell->type != CELL_VECTOR || cell->integer != VECTOR_FAULTLESS ||
        cell_elements(cell) != vector->size)
        return refuse(vector, cell, err);
    for (uint32_t i = 0; i < vector->size; i++) {
        elements[i].type = CELL_REAL;
        memcpy(&elements[i].real, cell->text.data + i * sizeof(double), sizeof(double));
    }
    return STATUS_OK;
}

static void spread_null(const struct vector *vector, struct cell *elements)
{
    for (uint32_t i = 0; i < vector->size; i++)
        elements[i] = (struct cell){.type = CELL_NULL};
}

/* Spreads a list whose size is being counted: before that is done no text is bad. */
static void spread_counted(const struct vector *vector, const struct cell *cell,
                           struct cell *elements)
{
    struct error ignored;

    if (spread_list(vector, cell, elements, &ignored) != STATUS_OK)
        spread_null(vector, elements);
}

/* Infinite dates are not among the counts: they are errors at once. */
static bool waits_for_counts(const struct vector *vector, const struct cell *cell)
{
    struct error ignored;
    struct date date;
    bool is_null;

    if (cell->time || (cell->type == CELL_REAL && !isfinite(cell->real)))
        return false;
    return cell_to_date(cell, vector->reading, SLICE(""), &date, &is_null, &ignored) != STATUS_OK;
}

static enum status spread_cross(const struct vector *vector, const struct cell *cells,
                                struct cell *element, struct error *err)
{
    uint32_t bucket;

    TRY(cross_bucket(vector->cross, cells, &bucket, err));
    *element = (struct cell){.type = CELL_INTEGER, .integer = bucket};
    return STATUS_OK;
}

enum status vectors_spread(const struct vectors *vectors, const struct cell *cells,
                           struct cell *spread, struct error *err)
{
    struct cell *elements = spread + vectors->columns;

    memcpy(spread, cells, vectors->columns * sizeof *cells);
    for (size_t i = 0; i < vectors->count; i++) {
        const struct vector *vector = &vectors->items[i];

        if (vector->cross)
            TRY(spread_cross(vector, cells, elements, err));
        else if (vectors->waits && vector->parts &&
                 waits_for_counts(vector, &cells[vector->column]))
            spread_null(vector, elements);
        else if (vectors->waits && vector->is_counted)
            spread_counted(vector, &cells[vector->column], elements);
        else
            TRY(vector_spread(vector, &cells[vector->column], elements, err));
        elements += vector->size;
    }
    return STATUS_OK;
}

/* ----- names ----- */

bool vector_element_name(struct slice name, struct slice *vector, uint32_t *element)
{
    size_t at = name.size;
    uint64_t number = 0, place = 1;

    if (name.size < 4 || name.data[--at] != ']')
        return false;
    while (at > 0 && name.data[at - 1] >= '0' && name.data[at - 1] <= '9' && place < 1000000000) {
        number += (uint64_t)(name.data[--at] - '0') * place;
        place *= 10;
    }
    if (place == 1 || at < 2 || name.data[at] == '0' || name.data[at - 1] != '[')
        return false;
    *vector = (struct slice){name.data, at - 1};
    *element = (uint32_t)number;
    return true;
}
