/*
 * vectors.h - loops compiled once for each width of the processor's vectors.
 *
 * Only for loops whose elements do not depend on each other, or whose sums are
 * exact: then the clones agree to the bit, since nothing is fused or reordered
 * (-ffp-contract=off). Sanitizers start after the resolvers that pick a clone
 * would run, and a count of branches would have each three times.
 */
#pragma once

#if defined(WIDE_VECTORS) /* a test's own choice */
#elif defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&                           \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(TOTRAIN_COVERAGE)
#define WIDE_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE_VECTORS
#endif

/* A function that such loops call: it is compiled with each of them, for their vectors. */
#define VECTORS_PART static inline __attribute__((always_inline))
