#include "arithmetic/products_ways.h"

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>
#include <stdint.h>

#define WIDTH                         8
#define vector                        __m256
#define mask                          __m256i
#define vector_zero                   _mm256_setzero_ps()
#define vector_all(x)                 _mm256_set1_ps(x)
#define vector_load(p)                _mm256_loadu_ps(p)
#define vector_store(p, v)            _mm256_storeu_ps(p, v)
#define vector_fma(a, b, c)           _mm256_fmadd_ps(a, b, c)
#define vector_load_some(p, some)     _mm256_maskload_ps(p, some)
#define vector_store_some(p, some, v) _mm256_maskstore_ps(p, some, v)
#define TILE_VECTORS                  2
#define TILE_ROWS(vectors)            ((vectors) == 2 ? 6 : 12)

static inline mask mask_of(size_t count)
{
    static const int32_t bits[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

    return _mm256_loadu_si256((const __m256i *)(bits + 8 - count));
}

#include "arithmetic/products_tiles.h"

const struct product_variant product_way_avx2 = {"avx2", compute, dots};

#endif
