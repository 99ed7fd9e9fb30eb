#include "runtime/learn/descent/descent_state.h"

#include <string.h>

#include "base/bytes.h"
#include "runtime/learn/descent/descent_guard.h"
#include "runtime/learn/descent/descent_old.h"
#include "runtime/learn/descent/descent_table.h"
#include "runtime/learn/fixed_point.h"
#include "runtime/learn/learner_state.h"

#define FILE_BYTES_LEAST ((uint64_t)16 << 20) /* fewer are no trouble for any worker */

FIELD_TABLE(fields, struct progress, DESCENT_FIELDS)

struct field_table descent_progress_fields(void)
{
    return fields();
}

/* The job makes lanes and steps of its settings once its rows are known. */
void descent_put_shape(const void *self, struct text *out)
{
    const struct descent *descent = self;

    descent->model.put_shape(descent->model.self, out);
    put_u32(out, descent->batch);
    put_u64(out, descent->planned_steps);
    if (descent->chooses_best)
        put_u8(out, descent->keeps_best);
}

static bool lie_in_file(const struct descent *descent, uint64_t bytes)
{
    return descent_only_holds(descent) && descent->learner.dataset->folder &&
           bytes >= FILE_BYTES_LEAST;
}

uint32_t descent_list_arrays(void *self, struct learner_array list[LEARNER_ARRAYS_MAX])
{
    struct descent *descent = self;
    struct descent_arrays *arrays = &descent->arrays;
    const uint64_t parameters = descent->model.parameter_count * sizeof(float);
    const uint32_t scales = descent_only_holds(descent) ? 0 : descent->model.tensor_count;
    const unsigned file = lie_in_file(descent, parameters) ? LEARNER_IN_FILE : 0;

    list[DESCENT_PARAMETERS] = (struct learner_array){(void **)&arrays->parameters, parameters,
                                                      LEARNER_OWN | file, "the weights", "weights"};
    list[DESCENT_SLOTS] =
        (struct learner_array){(void **)&arrays->slots, descent_slot_count(descent) * sizeof(float),
                               LEARNER_OWN, "the weights", "slots"};
    list[DESCENT_BEST] =
        (struct learner_array){(void **)&arrays->best, descent->keeps_best ? parameters : 0,
                               LEARNER_OWN, "the weights", "best"};
    list[DESCENT_ROW_STEPS] = (struct learner_array){
        (void **)&arrays->row_steps, descent_table_rows(descent) * sizeof *arrays->row_steps,
        LEARNER_OWN, "the weights", "row steps"};
    list[DESCENT_EXPONENTS] =
        (struct learner_array){(void **)&descent->exponents, scales * sizeof *descent->exponents,
                               LEARNER_USED, "the scales of the sums", NULL};
    return DESCENT_ARRAYS;
}

static enum status check_exponents(const struct descent *descent, struct error *err)
{
    for (uint32_t t = 0; descent->exponents && t < descent->model.tensor_count; t++)
        if (descent->exponents[t] < -FIXED_EXPONENT_MAX ||
            descent->exponents[t] > FIXED_EXPONENT_MAX)
            return state_corrupt(err, "a scale is out of range");
    return STATUS_OK;
}

static enum status begin(struct descent *descent, struct error *err)
{
    memset(descent->derived, 0, descent->model.derived_count * sizeof(float));
    descent->guard.derived = 0;
    descent->guard.derived_was_bad = false;
    TRY(descent_check_old(descent, err));
    descent_start(descent);
    return STATUS_OK;
}

enum status descent_enter(void *self, const struct learner_taking *taken, struct error *err)
{
    struct descent *descent = self;

    descent->has_derived = false;
    descent_follow_progress(descent);
    TRY(taken ? check_exponents(descent, err) : begin(descent, err));
    descent_guard_arrays(descent);
    descent_show_guards(descent);
    return STATUS_OK;
}
