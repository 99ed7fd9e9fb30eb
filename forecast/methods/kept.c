#include "forecast/methods/kept.h"

#include <math.h>

void kept_spoil(struct kept *kept)
{
    if (kept)
        kept->is_spoiled = true;
}

void kept_number(struct kept *kept, double *number)
{
    if (!kept)
        return;
    if (kept->count >= kept->room)
        kept->is_spoiled = true;
    if (kept->is_spoiled) {
        *number = kept->is_read ? 0 : *number;
        return;
    }
    if (kept->is_read) {
        *number = kept->numbers[kept->count];
        if (!isfinite(*number)) { /* nothing can be forecast with it */
            kept->is_spoiled = true;
            *number = 0;
        }
    } else
        kept->numbers[kept->count] = *number;
    kept->count++;
}

void kept_count(struct kept *kept, uint32_t *count, uint32_t most)
{
    double number = *count;

    kept_number(kept, &number);
    if (!kept_is_read(kept))
        return;
    if (!(number >= 0 && number <= most) || number != (double)(uint32_t)number) {
        kept_spoil(kept);
        number = 0;
    }
    *count = (uint32_t)number;
}

void kept_flag(struct kept *kept, bool *flag)
{
    uint32_t number = *flag;

    kept_count(kept, &number, 1);
    if (kept_is_read(kept))
        *flag = number == 1;
}
