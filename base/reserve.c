#include "base/reserve.h"

#include <stdlib.h>

#define LEAST 16

enum status reserve_array(void **array, uint32_t *room, uint32_t count, size_t bytes,
                          struct error *err)
{
    uint64_t wanted = *room > 0 ? *room : LEAST;
    void *grown;

    if (count <= *room)
        return STATUS_OK;
    while (wanted < count)
        wanted *= 2;
    grown = wanted <= UINT32_MAX ? realloc(*array, wanted * bytes + 1) : NULL;
    if (!grown)
        return fail_no_memory(err);
    *array = grown;
    *room = (uint32_t)wanted;
    return STATUS_OK;
}
