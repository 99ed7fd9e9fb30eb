/*
 * layer_sums_kernel.h - the loops of layer_sums.c, which includes this once for each
 * set of vectors, with
 *
 *     KERNEL          the function's name
 *     KERNEL_TARGET   its target attribute, or nothing
 *     KERNEL_LANES    floats of one vector
 *     KERNEL_ROWS     rows side by side, with
 *     KERNEL_VECTORS  vectors of each, and
 *     KERNEL_SINGLE   vectors of a single row: as many sums as registers hold,
 *                     and as the processor needs to add without waiting
 */

#define LANES__(kernel) kernel##_lanes
#define LANES_(kernel)  LANES__(kernel)
#define LANES           LANES_(KERNEL)
#define BLOCK__(kernel) kernel##_block
#define BLOCK_(kernel)  BLOCK__(kernel)
#define BLOCK           BLOCK_(KERNEL)
#define STRIP__(kernel) kernel##_strip
#define STRIP_(kernel)  STRIP__(kernel)
#define STRIP           STRIP_(KERNEL)

typedef float LANES __attribute__((vector_size(KERNEL_LANES * sizeof(float))));

/* `rows` and `vectors` are constants where this is inlined, so that the sums
 * stay in registers. Vectors are read and written where floats may lie. */
KERNEL_TARGET
static inline __attribute__((always_inline)) void BLOCK(const struct sums_operands *operands,
                                                        size_t row, size_t column, const int rows,
                                                        const int vectors)
{
    const float *weights = operands->weights + column, *x = operands->x + row * operands->inputs;
    float *z = operands->z + row * operands->z_stride + column;
    LANES sums[KERNEL_ROWS][KERNEL_SINGLE], weight;

    for (int v = 0; v < vectors; v++)
        for (int r = 0; r < rows; r++)
            memcpy(&sums[r][v], operands->bias + column + v * KERNEL_LANES, sizeof weight);
    for (size_t i = 0; i < operands->inputs; i++, weights += operands->stride) {
        for (int v = 0; v < vectors; v++) {
            memcpy(&weight, weights + v * KERNEL_LANES, sizeof weight);
            for (int r = 0; r < rows; r++)
                sums[r][v] += weight * x[(size_t)r * operands->inputs + i];
        }
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++)
            memcpy(z + (size_t)r * operands->z_stride + v * KERNEL_LANES, &sums[r][v],
                   sizeof weight);
}

/* One strip of columns of all rows: it stays in the cache. */
KERNEL_TARGET
static inline __attribute__((always_inline)) void STRIP(const struct sums_operands *operands,
                                                        size_t column, const int vectors)
{
    size_t row = 0;

    for (; row + KERNEL_ROWS <= operands->rows; row += KERNEL_ROWS)
        for (int v = 0; v < vectors; v += KERNEL_VECTORS)
            BLOCK(operands, row, column + (size_t)v * KERNEL_LANES, KERNEL_ROWS, KERNEL_VECTORS);
    for (; row < operands->rows; row++)
        BLOCK(operands, row, column, 1, vectors);
}

KERNEL_TARGET
static void KERNEL(const struct sums_operands *operands)
{
    enum { WIDE = KERNEL_SINGLE * KERNEL_LANES, PANEL = SUMS_PANEL };
    size_t column = 0;

    for (; column + WIDE <= operands->columns; column += WIDE)
        STRIP(operands, column, KERNEL_SINGLE);
#if KERNEL_SINGLE * KERNEL_LANES > 2 * SUMS_PANEL
    for (; column + 2 * PANEL <= operands->columns; column += 2 * PANEL)
        STRIP(operands, column, 2 * PANEL / KERNEL_LANES);
#endif
    for (; column < operands->columns; column += PANEL)
        STRIP(operands, column, PANEL / KERNEL_LANES);
}

#undef LANES__
#undef LANES_
#undef LANES
#undef BLOCK__
#undef BLOCK_
#undef BLOCK
#undef STRIP__
#undef STRIP_
#undef STRIP
#undef KERNEL
#undef KERNEL_TARGET
#undef KERNEL_LANES
#undef KERNEL_ROWS
#undef KERNEL_VECTORS
#undef KERNEL_SINGLE
