#include "runtime/learn/descent_memory.h"

#include <string.h>

struct memory {
    const char *name;
    void *bytes;
    size_t size;
};

void *descent_memory(void *self, const char *name, size_t *size)
{
    struct descent *descent = self;
    const struct dataset_part *rows = &descent->dataset->train;
    const size_t count = descent->model.parameter_count;
    const size_t all = rows->rows;
    const struct memory memories[] = {
        {"weights", descent->arrays.parameters, count * sizeof(float)},
        {"slots", descent->arrays.slots, (size_t)descent_slot_count(descent) * sizeof(float)},
        {"best", descent->arrays.best, count * sizeof(float)},
        {"transposed", descent->derived, descent->model.derived_count * sizeof(float)},
        {"rows", rows->dense, all * descent->dataset->transform.dense_width * sizeof(float)},
        {"ids", rows->ids, all * descent->dataset->transform.id_count * sizeof(int32_t)},
        {"labels", rows->values ? (void *)rows->values : (void *)rows->classes,
         all * sizeof(int32_t)},
        {"order", descent->rows.order, all * sizeof(uint32_t)},
    };

    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        if (strcmp(memories[i].name, name) != 0 || !memories[i].bytes)
            continue;
        *size = memories[i].size;
        return memories[i].bytes;
    }
    *size = 0;
    return NULL;
}
