/*
 * descent_state.h - the state of descent, as struct learner_method asks for it.
 */
#pragma once

#include "runtime/learn/descent/descent_parts.h"

/* The arrays of the state, in their order. */
enum {
    DESCENT_PARAMETERS,
    DESCENT_SLOTS,
    DESCENT_BEST,
    DESCENT_ROW_STEPS,
    DESCENT_EXPONENTS,
    DESCENT_ARRAYS
};

struct field_table descent_progress_fields(void);
void descent_put_shape(const void *self, struct text *out);
uint32_t descent_list_arrays(void *self, struct learner_array list[LEARNER_ARRAYS_MAX]);
/* INVALID at the beginning where an old model has other weights. */
enum status descent_enter(void *self, const struct learner_taking *taken, struct error *err);
