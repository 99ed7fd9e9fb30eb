/* Whatever an order to read a table holds, what was read from it is written and read again as the
 * same. */
#include <stdlib.h>

#include "extension/engine/rows/direct_order.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct direct_order *order, struct arena *arena)
{
    struct direct_order again;
    struct text first, second;
    struct error err;

    text_init(&first, 4 * DIRECT_BYTES_MAX);
    text_init(&second, 4 * DIRECT_BYTES_MAX);
    if (direct_order_write(order, &first, &err) != STATUS_OK ||
        direct_order_read(text_slice(&first), arena, &again, &err) != STATUS_OK ||
        direct_order_write(&again, &second, &err) != STATUS_OK ||
        !slice_equal(text_slice(&first), text_slice(&second)))
        abort();
    text_deinit(&first);
    text_deinit(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct direct_order order;
    struct arena arena;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    if (direct_order_read((struct slice){(const char *)data, size}, &arena, &order, &err) ==
        STATUS_OK)
        check(&order, &arena);
    arena_deinit(&arena);
    return 0;
}
