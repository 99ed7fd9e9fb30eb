#include "runtime/data/spool/held_out.h"

#include <math.h>
#include <stdlib.h>

#include "base/sums/hash.h"
#include "runtime/data/spool/row_order.h"

struct remainder {
    uint64_t rest; /* remainder of rows * all that are held out, divided by all rows */
    uint32_t stratum;
};

static struct row_hash with_stratum(const struct row_hash *hash, uint64_t bits)
{
    const uint64_t mask = (1u << ROW_STRATUM_BITS) - 1;

    return (struct row_hash){.low = (hash->low & ~mask) | (bits & mask), .high = hash->high};
}

struct row_hash row_hash_of_class(const struct row_hash *hash, struct slice class_bytes)
{
    return with_stratum(hash, bytes_hash(class_bytes.data, class_bytes.size, 0));
}

struct row_hash row_hash_of_group(const struct row_hash *hash, struct slice group_bytes)
{
    return (struct row_hash){.low = hash->low,
                             .high = bytes_hash(group_bytes.data, group_bytes.size, 0)};
}

struct row_hash held_out_hash_of_copy(const struct spool_held_out *rule,
                                      const struct row_hash *hash, uint64_t number)
{
    struct row_hash copy = row_hash_of_copy(hash, number);

    if (rule->by_group)
        copy.high = hash->high;
    return rule->by_class ? with_stratum(&copy, row_hash_stratum(hash)) : copy;
}

uint64_t held_out_below(const struct spool_held_out *rule)
{
    return (uint64_t)ldexp(rule->share, 64);
}

/* Rows that are held out, of all rows. */
static uint64_t rows_held_out(const struct spool_held_out *rule, uint64_t rows)
{
    const double held_out = floor((double)rows * rule->share);

    if (rule->share <= 0 || rows < 2 || rows < rule->least_rows)
        return 0;
    if (held_out < 1)
        return 1;
    return held_out > (double)(rows - 1) ? rows - 1 : (uint64_t)held_out;
}

/* The greatest first, and of equal ones the first stratum. */
static int compare_remainders(const void *a, const void *b)
{
    const struct remainder *x = a, *y = b;

    if (x->rest != y->rest)
        return x->rest > y->rest ? -1 : 1;
    return (x->stratum > y->stratum) - (x->stratum < y->stratum);
}

enum status held_out_quotas(const struct spool_held_out *rule, const uint64_t *rows,
                            uint64_t *quotas, uint64_t *sum, struct error *err)
{
    const uint32_t strata = held_out_strata(rule);
    struct remainder *remainders = malloc(strata * sizeof *remainders);
    uint64_t all = 0, wanted;
    uint32_t count = 0;

    *sum = 0;
    if (!remainders)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < strata; i++)
        all += rows[i];
    wanted = rows_held_out(rule, all);
    for (uint32_t i = 0; i < strata; i++) {
        const unsigned __int128 product = (unsigned __int128)rows[i] * wanted;

        quotas[i] = all ? (uint64_t)(product / all) : 0;
        *sum += quotas[i];
        if (quotas[i] + 1 < rows[i] && product % all >= (all + 1) / 2)
            remainders[count++] = (struct remainder){(uint64_t)(product % all), i};
    }
    qsort(remainders, count, sizeof *remainders, compare_remainders);
    for (uint32_t i = 0; i < count && *sum < wanted; i++, ++*sum)
        quotas[remainders[i].stratum]++;
    free(remainders);
    return STATUS_OK;
}
