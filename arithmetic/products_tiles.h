/*
 * products_tiles.h - the loops of products.h over vectors, included once for
 * each vector width by a file that is compiled for it and defines
 *
 *     WIDTH                     floats in a vector
 *     vector, mask              types
 *     vector_zero, vector_all(x), vector_load(p), vector_store(p, v),
 *     vector_fma(a, b, c), mask_of(count), vector_load_some(p, mask),
 *     vector_store_some(p, mask, v)
 *     TILE_VECTORS              vectors side by side in the widest tile
 *     TILE_ROWS(vectors)        rows of a tile of so many vectors
 *
 * A tile of c stays in registers while the columns of a and the rows of b run
 * by: TILE_ROWS x TILE_VECTORS vectors for the sums, TILE_VECTORS for a row of
 * b and one for an element of a must not be more than the processor has.
 */
#include <stdbool.h>

#define INLINE    static inline __attribute__((always_inline))
#define ROWS_MAX  12
#define DEPTH_MAX 1024 /* rows of b that a tile passes at a time: they stay in the L2 cache */
#define CHAINS    16   /* partial sums of a dot product */

/* Counts are constants where this is called, so that `sums` is all registers. */
INLINE void compute_tile(const struct product *p, size_t i, size_t j, const size_t rows,
                         const size_t vectors, const bool is_whole, mask last)
{
    vector sums[ROWS_MAX][TILE_VECTORS], line[TILE_VECTORS];
    const float *a = p->a + i * p->a_row, *b = p->b + j;
    const float *start = p->start ? p->start + i * p->start_row + j : NULL;
    float *c = p->c + i * p->c_row + j;

#pragma GCC unroll 12
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (size_t v = 0; v < vectors; v++) {
            if (!start)
                sums[r][v] = vector_zero;
            else if (is_whole || v + 1 < vectors)
                sums[r][v] = vector_load(start + r * p->start_row + v * WIDTH);
            else
                sums[r][v] = vector_load_some(start + r * p->start_row + v * WIDTH, last);
        }
    for (size_t q = 0; q < p->k; q++, a += p->a_column, b += p->b_row) {
#pragma GCC unroll 4
        for (size_t v = 0; v < vectors; v++)
            line[v] = is_whole || v + 1 < vectors ? vector_load(b + v * WIDTH)
                                                  : vector_load_some(b + v * WIDTH, last);
#pragma GCC unroll 12
        for (size_t r = 0; r < rows; r++) {
            const vector x = vector_all(a[r * p->a_row]);
#pragma GCC unroll 4
            for (size_t v = 0; v < vectors; v++)
                sums[r][v] = vector_fma(x, line[v], sums[r][v]);
        }
    }
#pragma GCC unroll 12
    for (size_t r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (size_t v = 0; v < vectors; v++) {
            float *to = c + r * p->c_row + v * WIDTH;
            if (is_whole || v + 1 < vectors)
                vector_store(to, sums[r][v]);
            else
                vector_store_some(to, last, sums[r][v]);
        }
}

/* All rows of `vectors` vectors of columns. */
INLINE void compute_columns(const struct product *p, size_t j, const size_t vectors,
                            const bool is_whole, mask last)
{
    const size_t tall = TILE_ROWS(vectors);
    size_t i = 0;

    for (; i + tall <= p->n; i += tall)
        compute_tile(p, i, j, tall, vectors, is_whole, last);
    if (tall > 8 && i + 8 <= p->n) {
        compute_tile(p, i, j, 8, vectors, is_whole, last);
        i += 8;
    }
    if (tall > 4 && i + 4 <= p->n) {
        compute_tile(p, i, j, 4, vectors, is_whole, last);
        i += 4;
    }
    if (i + 2 <= p->n) {
        compute_tile(p, i, j, 2, vectors, is_whole, last);
        i += 2;
    }
    for (; i < p->n; i++)
        compute_tile(p, i, j, 1, vectors, is_whole, last);
}

static void compute_rest(const struct product *p, size_t j)
{
    const size_t vectors = (p->m - j + WIDTH - 1) / WIDTH;
    const mask last = mask_of(p->m - j - (vectors - 1) * WIDTH);

    switch (vectors) {
    case 1:
        compute_columns(p, j, 1, false, last);
        return;
    case 2:
        compute_columns(p, j, 2, false, last);
        return;
#if TILE_VECTORS > 2
    case 3:
        compute_columns(p, j, 3, false, last);
        return;
    case 4:
        compute_columns(p, j, 4, false, last);
        return;
#endif
    }
}

/* One depth: no more than DEPTH_MAX rows of b. */
static void compute_depth(const struct product *p)
{
    size_t j = 0;

    for (; j + TILE_VECTORS * WIDTH <= p->m; j += TILE_VECTORS * WIDTH)
        compute_columns(p, j, TILE_VECTORS, true, mask_of(WIDTH));
#if TILE_VECTORS > 2
    for (; j + 2 * WIDTH <= p->m; j += 2 * WIDTH)
        compute_columns(p, j, 2, true, mask_of(WIDTH));
#endif
    for (; j + WIDTH <= p->m; j += WIDTH)
        compute_columns(p, j, 1, true, mask_of(WIDTH));
    if (j < p->m)
        compute_rest(p, j);
}

/* The chains go on from one depth to the next: c is where the next one starts. */
static void compute(const struct product *product)
{
    struct product p = *product;
    size_t left = product->k;

    do {
        p.k = left < DEPTH_MAX ? left : DEPTH_MAX;
        compute_depth(&p);
        left -= p.k;
        p.a += p.k * p.a_column;
        p.b += p.k * p.b_row;
        p.start = p.c;
        p.start_row = p.c_row;
    } while (left > 0);
}

static float add_chains(float *chains)
{
    for (size_t apart = CHAINS / 2; apart > 0; apart /= 2)
        for (size_t t = 0; t < apart; t++)
            chains[t] += chains[t + apart];
    return chains[0];
}

static void dots(size_t n, size_t k, const float *a, const float *b, float start, float *c)
{
    enum { VECTORS = CHAINS / WIDTH };
    const size_t whole = k / CHAINS * CHAINS;
    float chains[CHAINS];

    for (size_t i = 0; i < n; i++, a += k) {
        vector sums[VECTORS];

        for (size_t v = 0; v < VECTORS; v++)
            sums[v] = vector_zero;
        for (size_t q = 0; q < whole; q += CHAINS)
            for (size_t v = 0; v < VECTORS; v++)
                sums[v] = vector_fma(vector_load(a + q + v * WIDTH), vector_load(b + q + v * WIDTH),
                                     sums[v]);
        for (size_t v = 0; v < VECTORS; v++) {
            const size_t q = whole + v * WIDTH;
            const mask some = mask_of(q >= k ? 0 : k - q < WIDTH ? k - q : WIDTH);

            if (q < k)
                sums[v] = vector_fma(vector_load_some(a + q, some), vector_load_some(b + q, some),
                                     sums[v]);
            vector_store(chains + v * WIDTH, sums[v]);
        }
        c[i] = start + add_chains(chains);
    }
}
