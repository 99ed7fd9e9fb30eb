#include "arithmetic/products_ways.h"

#if defined(__AVX512F__)

#include <immintrin.h>
#include <stdint.h>

#define WIDTH                         16
#define vector                        __m512
#define mask                          __mmask16
#define vector_zero                   _mm512_setzero_ps()
#define vector_all(x)                 _mm512_set1_ps(x)
#define vector_load(p)                _mm512_loadu_ps(p)
#define vector_store(p, v)            _mm512_storeu_ps(p, v)
#define vector_fma(a, b, c)           _mm512_fmadd_ps(a, b, c)
#define mask_of(count)                ((mask)((UINT32_C(1) << (count)) - 1))
#define vector_load_some(p, some)     _mm512_maskz_loadu_ps(some, p)
#define vector_store_some(p, some, v) _mm512_mask_storeu_ps(p, some, v)
#define TILE_VECTORS                  4
#define TILE_ROWS(vectors)            ((vectors) == 4 ? 6 : (vectors) == 3 ? 8 : 12)

#include "arithmetic/products_tiles.h"

const struct product_variant product_way_avx512 = {"avx512", compute, dots};

#endif
