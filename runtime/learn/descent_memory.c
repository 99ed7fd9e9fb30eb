#include "runtime/learn/descent_memory.h"

#include <string.h>

#include "runtime/learn/descent_table.h"

struct memory {
    const char *name;
    void *bytes;
    size_t size;
};

/* Of rows only those of one bucket that is held: a bit of others would be read by nobody. */
void *descent_memory(void *self, const char *name, size_t *size)
{
    struct descent *descent = self;
    const struct dataset_part *part = &descent->dataset->train;
    const struct transform *transform = &descent->dataset->transform;
    const struct row_lanes *lanes = &descent->rows;
    const size_t count = descent->model.parameter_count;
    const uint32_t bucket = lanes->held_count > 0 ? lanes->held[0] : 0;
    const size_t first = lanes->starts[bucket];
    const size_t rows = lanes->held_count > 0 ? lanes->starts[bucket + 1] - first : 0;
    const struct memory memories[] = {
        {"weights", descent->arrays.parameters, count * sizeof(float)},
        {"slots", descent->arrays.slots, (size_t)descent_slot_count(descent) * sizeof(float)},
        {"best", descent->arrays.best, count * sizeof(float)},
        {"row steps", descent->arrays.row_steps, descent_table_rows(descent) * sizeof(uint32_t)},
        {"transposed", descent->derived, descent->model.derived_count * sizeof(float)},
        {"rows", part->dense ? part->dense + first * transform->dense_width : NULL,
         rows * transform->dense_width * sizeof(float)},
        {"ids", part->ids + first * transform->id_count,
         rows * transform->id_count * sizeof(int32_t)},
        {"labels", part->values ? (void *)(part->values + first) : (void *)(part->classes + first),
         rows * sizeof(int32_t)},
        {"order", lanes->order ? lanes->order + lanes->all[bucket].place : NULL,
         rows * sizeof(uint32_t)},
    };

    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        if (strcmp(memories[i].name, name) != 0 || !memories[i].bytes || memories[i].size == 0)
            continue;
        *size = memories[i].size;
        return memories[i].bytes;
    }
    *size = 0;
    return NULL;
}
