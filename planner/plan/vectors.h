/*
 * vectors.h - columns of which a model takes several values, arrays of numbers, lists and dates,
 * and several columns of which it takes one.
 *
 *     SELECT id, v FROM t      cells of a row       id  v
 *     v is an array of 3       spread               id  v  v[1]  v[2]  v[3]
 *
 * To a model they are inputs like any others, of the names v[1], v[2], ...: one that was
 * trained on such columns takes the array, and the other way round. The number of elements is that
 * of the column's first array in the sample.
 *
 *     d is a date              spread               id  d  d.age  d.weekday
 *
 *     l is a text "2, 3"       spread               id  l  l[1]  l[2]
 *
 * The elements of a list are its numbers (inputs/cell_list.h): those of a sparse one are named by
 * their ids, from l[0] on. A column holds lists where the statement says so, or where all texts are
 * such lists. Then their size is that of all rows, too.
 *
 * The elements of a text whose words a model counts are the counts of its hash buckets, from l[0]
 * on.
 *
 * The elements of a date are the parts that the plan chose (inputs/cells/dates.h). Where rows are
 * scored the model takes the date, or the list, itself.
 *
 *     CROSS([a, b], 100)       spread               a  b  CROSS(a, b)
 *
 * A cross is a vector of one element and of several columns: their bucket (inputs/cross.h). Where
 * rows are scored the model takes the columns.
 */
#pragma once

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"
#include "inputs/cell_list.h"
#include "inputs/cross.h"
#include "params/terms.h"

#define VECTOR_NO_COLUMN    UINT32_MAX
#define VECTOR_ELEMENTS_MAX 10000 /* elements of all vectors of a query, without pictures */

struct vector {
    struct slice name;          /* name of its column, or of the cross */
    uint32_t column;            /* VECTOR_NO_COLUMN of a cross */
    uint32_t size;              /* elements */
    uint32_t parts;             /* parts of dates, as bits; 0: it holds no dates */
    struct cell_list list;      /* the list in a text; LIST_NONE: it holds no lists */
    bool is_counted;            /* the list's size is the one that rows have shown */
    const struct cross *cross;  /* NULL: it is none */
    enum input_reading reading; /* reading of texts that are dates */
};

struct vectors {
    const struct vector *items;
    size_t count;    /* 0: rows are as the query returns them */
    size_t columns;  /* columns of the query */
    size_t elements; /* elements of all vectors */
    bool waits; /* all rows are being counted: the parts of a text or plain number that is no date
                   are NULL, as are the numbers of a text that is no list of the counted size; the
                   counts decide what becomes of these (column_verdict.h) */
};

struct query;

/* Behind the sampled columns of the query, the elements of its vectors, those of crosses last. Once
 * more, when parts of dates and crosses are chosen. */
enum status query_add_elements(struct query *query, struct arena *arena, struct error *err);

/* The columns of a query that was planned, as they were described: without elements, parts and
 * crosses, to be planned anew. */
enum status query_as_described(const struct query *planned, struct arena *arena,
                               struct query *query, struct error *err);

/* The columns take the parts of dates, the lists and the crosses that those of the same names have
 * in the other query; its crosses of columns that this one has not are left out. */
enum status query_take_parts(struct query *query, const struct query *from, struct arena *arena,
                             struct error *err);

/* The vector in this column of the query; NULL: there is none. */
const struct vector *vectors_find(const struct vectors *vectors, size_t column);
/* Where the spread row has the vector's first element. */
size_t vectors_first(const struct vectors *vectors, const struct vector *vector);

/* A row's cells (columns), and behind them the elements: into spread (columns + elements).
 * NULL is a vector of NULLs. INVALID for an array of other elements than the first one, and,
 * unless the vectors wait, for what is no date. Words of parts are static. */
enum status vectors_spread(const struct vectors *vectors, const struct cell *cells,
                           struct cell *spread, struct error *err);
/* The elements of one cell; of a vector that is no cross. */
enum status vector_spread(const struct vector *vector, const struct cell *cell,
                          struct cell *elements, struct error *err);

/* Is the column itself counted, to decide what becomes of its elements? */
static inline bool vector_is_judged(const struct vector *vector)
{
    return vector->parts || vector->is_counted;
}

/* The part that element i of a date is. */
enum date_part vector_part(const struct vector *vector, uint32_t i);

/* Is this name that of an element: v[12], without a zero in front? */
bool vector_element_name(struct slice name, struct slice *vector, uint32_t *element);
