#include "arithmetic/products.h"

#include <math.h>
#include <stdatomic.h>

#include "arithmetic/products_ways.h"

#define CHAINS 16

static void plain_compute(const struct product *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const float *a = p->a + i * p->a_row, *b = p->b;
        float *c = p->c + i * p->c_row;

        for (size_t j = 0; j < p->m; j++)
            c[j] = p->start ? p->start[i * p->start_row + j] : 0;
        for (size_t q = 0; q < p->k; q++, b += p->b_row)
            for (size_t j = 0; j < p->m; j++)
                c[j] = fmaf(a[q * p->a_column], b[j], c[j]);
    }
}

static void plain_dots(size_t n, size_t k, const float *a, const float *b, float start, float *c)
{
    for (size_t i = 0; i < n; i++, a += k) {
        float chains[CHAINS] = {0};

        for (size_t q = 0; q < k; q++)
            chains[q % CHAINS] = fmaf(a[q], b[q], chains[q % CHAINS]);
        for (size_t apart = CHAINS / 2; apart > 0; apart /= 2)
            for (size_t t = 0; t < apart; t++)
                chains[t] += chains[t + apart];
        c[i] = start + chains[0];
    }
}

static const struct product_variant plain = {"plain", plain_compute, plain_dots};

const struct product_variant *product_variants(size_t number)
{
    const struct product_variant *ways[3] = {&plain};
    size_t count = 1;

#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        ways[count++] = &product_way_avx2;
    if (__builtin_cpu_supports("avx512f"))
        ways[count++] = &product_way_avx512;
#endif
    return number < count ? ways[number] : NULL;
}

static const struct product_variant *best_way(void)
{
    static const struct product_variant *_Atomic best;
    const struct product_variant *way = atomic_load_explicit(&best, memory_order_relaxed);

    if (way)
        return way;
    for (size_t i = 0; product_variants(i); i++)
        way = product_variants(i);
    atomic_store_explicit(&best, way, memory_order_relaxed);
    return way;
}

void product_compute(const struct product *product)
{
    best_way()->compute(product);
}

void product_dots(size_t n, size_t k, const float *a, const float *b, float start, float *c)
{
    best_way()->dots(n, k, a, b, start, c);
}
