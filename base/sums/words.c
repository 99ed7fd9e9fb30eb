#include "base/sums/words.h"

#include <string.h>

#include "base/vectors.h"

WIDE_VECTORS
uint32_t words_sum(const void *words, size_t count)
{
    const char *at = words;
    uint32_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t word;

        memcpy(&word, at + i * sizeof word, sizeof word);
        sum += word;
    }
    return sum;
}

WIDE_VECTORS
uint32_t words_mix(const void *words, size_t count)
{
    const char *at = words;
    uint32_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t word;

        memcpy(&word, at + i * sizeof word, sizeof word);
        sum += words_mix_one(word);
    }
    return sum;
}

WIDE_VECTORS
uint64_t words_sum_long(const int64_t *integers, size_t count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (uint64_t)integers[i];
    return sum;
}

enum status memory_damaged(struct error *err, const char *what)
{
    fail(err, STATUS_CORRUPT, "%s of this worker changed in memory by themselves", what);
    return error_hint(err, "A bit of this machine's memory was inverted: look at its hardware.");
}
