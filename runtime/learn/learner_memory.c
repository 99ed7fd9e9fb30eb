/*
 * The memories of a learner by name, for tests that invert a bit in one of them.
 */
#include <string.h>

#include "runtime/learn/learner_parts.h"

struct memory {
    const char *name;
    void *bytes;
    size_t size;
};

void *learner_memory(struct learner *learner, const char *name, size_t *size)
{
    const struct dataset_part *rows = &learner->dataset->train;
    const size_t count = learner->network.parameter_count;
    const size_t all = rows->rows;
    const struct memory memories[] = {
        {"weights", learner->arrays.parameters, count * sizeof(float)},
        {"slots", learner->arrays.slots, (size_t)learner_slot_count(learner) * sizeof(float)},
        {"best", learner->arrays.best, count * sizeof(float)},
        {"transposed", learner->transposed, learner->network.transposed_count * sizeof(float)},
        {"rows", rows->dense, all * learner->network.dense_width * sizeof(float)},
        {"ids", rows->ids, all * learner->network.id_count * sizeof(int32_t)},
        {"labels", rows->values ? (void *)rows->values : (void *)rows->classes,
         all * sizeof(int32_t)},
        {"order", learner->order, all * sizeof(uint32_t)},
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
