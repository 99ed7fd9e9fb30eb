/*
 * kept.h - the parameters that searches found for a series, as a list of numbers: with them it is
 * forecast again, values that have come meanwhile among its own, and nothing is searched for.
 *
 *     written   a fit adds its numbers, each behind those before
 *     read      a fit takes the numbers in the same order; states run anew over all values
 *
 * Both ways pass the same calls. A list is spoiled where the values do not go with it, or where it
 * is no list that a fit has written: all that is read behind that is 0, and the series has to be
 * fitted anew. What is found without a search, such as a season's pattern or the weights of
 * methods by their errors, is found anew and not kept.
 *
 * All functions take NULL for a list that nobody asks for.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define KEPT_FORMS  8 /* models of smoothing that are kept at most, those of most weight */
#define KEPT_ORDERS 8 /* and ARIMAs */

struct kept {
    double *numbers;
    uint32_t count; /* written: numbers so far; read: those taken so far */
    uint32_t room;  /* written: numbers that there is room for; read: those that are there */
    bool is_read, is_spoiled;
};

static inline bool kept_is_read(const struct kept *kept)
{
    return kept && kept->is_read;
}
static inline bool kept_is_written(const struct kept *kept)
{
    return kept && !kept->is_read;
}

void kept_spoil(struct kept *kept);
void kept_number(struct kept *kept, double *number);
/* A whole number up to `most`. */
void kept_count(struct kept *kept, uint32_t *count, uint32_t most);
void kept_flag(struct kept *kept, bool *flag);
