/*
 * onnx_import_axes.h - the axes of a value in a file, the rows among them.
 *
 *     in the file                  the node's axes    before   joins
 *     (rows, steps, width)         (steps, width)     0
 *     (steps, rows, width)         (steps, width)     1
 *     (rows * heads, steps, head)  (heads, steps, head)  0     inner
 *     (steps * rows, width)        (steps, width)     1        outer
 *
 * Among the integers of a shape the size of an axis that has the rows in it is ONNX_ROWS and how
 * many numbers it has for each row.
 */
#pragma once

#include "interop/onnx/import/onnx_import_calls.h"

#define ONNX_ROWS       INT64_MIN
#define ONNX_AXES_MAX   (GRAPH_RANK_MAX + 1)
#define ONNX_FACTOR_MAX (1 << 24)

/* How many numbers an axis of that size has for each row; 0: the rows are not in it. */
static inline uint32_t onnx_row_factor(int64_t size)
{
    return size > ONNX_ROWS && size <= ONNX_ROWS + ONNX_FACTOR_MAX ? (uint32_t)(size - ONNX_ROWS)
                                                                   : 0;
}

/* Are the rows the first axis, alone? */
static inline bool onnx_is_plain(const struct onnx_known *x)
{
    return x->before == 0 && !x->joins_outer && !x->joins_inner;
}

/* How many axes it has in the file, and their sizes, (ONNX_AXES_MAX). */
uint32_t onnx_file_rank(const struct onnx_known *x);
void onnx_file_sizes(const struct onnx_known *x, int64_t *sizes);
/* The node's axis for an axis of the file, from the last by -1; UNSUPPORTED where it is that of the
 * rows, or none. */
enum status onnx_axis(const struct onnx_import *import, const struct onnx_known *x, int64_t written,
                      uint32_t *axis);
/* The node's first output is x in another shape, as the file says it. */
enum status onnx_give_sizes(struct onnx_import *import, struct onnx_known *x, const int64_t *sizes,
                            uint32_t rank);
/* The same with its axes in another order: `order` (file rank) of them. */
enum status onnx_give_order(struct onnx_import *import, struct onnx_known *x,
                            const uint32_t *order);
/* A node with an axis of size 1 made `size` long. */
enum status onnx_expand(struct onnx_import *import, uint32_t *node, uint32_t axis, uint32_t size);
/* A node with `before` and `behind` places of one number around an axis of `size`. */
enum status onnx_surround(struct onnx_import *import, uint32_t *node, uint32_t axis, uint32_t size,
                          uint32_t before, uint32_t behind, double number);
