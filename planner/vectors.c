#include "planner/vectors.h"

#include <stdio.h>
#include <string.h>

#include "planner/catalog.h"

/* ----- of a query ----- */

static enum status add_vector(struct query *query, size_t column, struct vector *vector,
                              struct arena *arena, struct error *err)
{
    const struct query_column *of = &query->columns[column];
    struct query_column *elements = &query->columns[query->count + query->vectors.elements];

    *vector = (struct vector){of->name, (uint32_t)column, of->elements};
    for (uint32_t i = 0; i < of->elements; i++) {
        char number[16];
        struct slice tail = {number, (size_t)snprintf(number, sizeof number, "[%u]", i + 1)};
        char *name = arena_alloc(arena, of->name.size + tail.size + 1);

        if (!name)
            return fail_no_memory(err);
        memcpy(name, of->name.data, of->name.size);
        memcpy(name + of->name.size, tail.data, tail.size + 1);
        elements[i] = (struct query_column){.name = {name, of->name.size + tail.size},
                                            .declared_type = of->declared_type,
                                            .nulls = of->nulls,
                                            .reals = of->vectors};
    }
    query->vectors.elements += of->elements;
    query->vectors.count++;
    return STATUS_OK;
}

static enum status refuse_elements(size_t count, struct error *err)
{
    fail(err, STATUS_LIMIT, "the arrays of a row have %zu elements, at most %d are read", count,
         VECTOR_ELEMENTS_MAX);
    return error_hint(err, "Leave those out of the SELECT that the model does not need.");
}

enum status query_add_elements(struct query *query, struct arena *arena, struct error *err)
{
    const size_t count = query->count;
    size_t vectors = 0, elements = 0;
    struct query_column *columns;
    struct vector *items;

    for (size_t i = 0; i < count; i++) {
        vectors += query->columns[i].elements > 0;
        elements += query->columns[i].elements;
    }
    query->vectors = (struct vectors){.columns = count};
    if (vectors == 0)
        return STATUS_OK;
    if (elements > VECTOR_ELEMENTS_MAX)
        return refuse_elements(elements, err);
    columns = ARENA_NEW(arena, struct query_column, count + elements);
    items = ARENA_NEW(arena, struct vector, vectors);
    if (!columns || !items)
        return fail_no_memory(err);
    memcpy(columns, query->columns, count * sizeof *columns);
    query->columns = columns;
    query->vectors.items = items;
    for (size_t i = 0; i < count; i++)
        if (columns[i].elements > 0)
            TRY(add_vector(query, i, &items[query->vectors.count], arena, err));
    return STATUS_OK;
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

enum status vector_spread(const struct vector *vector, const struct cell *cell,
                          struct cell *elements, struct error *err)
{
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

enum status vectors_spread(const struct vectors *vectors, const struct cell *cells,
                           struct cell *spread, struct error *err)
{
    struct cell *elements = spread + vectors->columns;

    memcpy(spread, cells, vectors->columns * sizeof *cells);
    for (size_t i = 0; i < vectors->count; i++) {
        const struct vector *vector = &vectors->items[i];

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
