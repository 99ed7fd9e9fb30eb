/*
 * vectors.h - arrays of numbers in the rows of a query, whose elements a model takes.
 *
 *     SELECT id, v FROM t      cells of a row       id  v
 *     v is an array of 3       spread               id  v  v[1]  v[2]  v[3]
 *
 * To a model they are inputs like any others, of the names v[1], v[2], ...: one that was
 * trained on such columns takes the array, and the other way round. The number of elements is that
 * of the column's first array in the sample.
 */
#ifndef PLANNER_VECTORS_H
#define PLANNER_VECTORS_H

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"

#define VECTOR_ELEMENTS_MAX 10000 /* of all vectors of a query */

struct vector {
    struct slice name; /* of its column */
    uint32_t column;
    uint32_t size; /* elements */
};

struct vectors {
    const struct vector *items;
    size_t count;    /* 0: rows are as the query returns them */
    size_t columns;  /* of the query */
    size_t elements; /* of all */
};

struct query;

/* Behind the sampled columns of the query, the elements of its vectors. */
enum status query_add_elements(struct query *query, struct arena *arena, struct error *err);

/* The vector in this column of the query; NULL: there is none. */
const struct vector *vectors_find(const struct vectors *vectors, size_t column);
/* Where the spread row has the vector's first element. */
size_t vectors_first(const struct vectors *vectors, const struct vector *vector);

/* A row's cells (columns), and behind them the elements: into spread (columns + elements).
 * NULL is a vector of NULLs. INVALID for an array of other elements than the first one. */
enum status vectors_spread(const struct vectors *vectors, const struct cell *cells,
                           struct cell *spread, struct error *err);
/* The elements of one cell. */
enum status vector_spread(const struct vector *vector, const struct cell *cell,
                          struct cell *elements, struct error *err);

/* Is this name that of an element: v[12], without a zero in front? */
bool vector_element_name(struct slice name, struct slice *vector, uint32_t *element);

#endif
