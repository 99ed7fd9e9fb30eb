#include "runtime/learn/descent/descent_old.h"

#include <string.h>

/* Its arrays are the parameters. */
static struct model new_model(const struct descent *descent)
{
    struct model model = measuring_model(descent->learner.spec, descent->learner.dataset);

    descent->model.fill_model(descent->model.self, descent->arrays.parameters, &model);
    return model;
}

static bool has_same_numbers(const struct model *a, const struct model *b)
{
    for (uint32_t i = 0;; i++) {
        uint64_t of_a = 0, of_b = 0;
        const bool in_a = a->kind->number(a, i, &of_a), in_b = b->kind->number(b, i, &of_b);

        if (in_a != in_b || of_a != of_b)
            return false;
        if (!in_a)
            return true;
    }
}

static bool has_same_arrays(const struct model *a, const struct model *b)
{
    for (uint32_t i = 0;; i++) {
        struct model_array of_a = {.rows = 0}, of_b = {.rows = 0};
        const bool in_a = a->kind->array(a, i, &of_a), in_b = b->kind->array(b, i, &of_b);

        if (in_a != in_b || of_a.rows != of_b.rows || of_a.width != of_b.width)
            return false;
        if (!in_a)
            return true;
    }
}

enum status descent_check_old(const struct descent *descent, struct error *err)
{
    const struct model *old = descent->learner.dataset->old_model;
    struct model made;

    if (!old)
        return STATUS_OK;
    made = new_model(descent);
    if (old->kind == made.kind && old->link == made.link && has_same_numbers(old, &made) &&
        has_same_arrays(old, &made))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "the old model has other weights than the job's model");
}

void descent_take_old(struct descent *descent)
{
    const struct model *old = descent->learner.dataset->old_model;
    struct model_array from, to;
    struct model made;

    if (!old)
        return;
    made = new_model(descent);
    for (uint32_t i = 0; old->kind->array(old, i, &from) && made.kind->array(&made, i, &to); i++)
        memcpy((float *)(uintptr_t)*to.elements, *from.elements,
               to.rows * to.width * sizeof(float));
}
