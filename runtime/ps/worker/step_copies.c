#include "runtime/ps/worker/step_copies.h"

#include <string.h>

void step_copies_free(struct step_copies *copies)
{
    step_rows_free(&copies->rows);
    step_rows_free(&copies->spare);
}

void step_copies_take(const struct step_copies *copies, uint64_t step, struct row_widths widths,
                      const struct batch_rows *batch, float *values, bool *has)
{
    static const struct step_rows none = {.rows = 0};
    const bool are_some = copies->are_some && copies->step == step;

    step_rows_copy(are_some ? &copies->rows : &none, widths, batch->counts, batch->ids, values,
                   has);
}

enum status step_copies_keep(struct step_copies *copies, uint64_t step, struct row_widths widths,
                             const struct batch_rows *batch, const float *values, struct error *err)
{
    const struct row_view view = {batch->counts, batch->ids, values};
    struct step_rows united;

    if (!copies->are_some || copies->step != step) {
        memset(copies->rows.counts, 0, sizeof copies->rows.counts);
        copies->rows.rows = 0;
        copies->rows.floats = 0;
    }
    copies->are_some = false;
    if (copies->rows.floats < STEP_COPIES_FLOATS_MAX) {
        TRY(step_rows_unite(&copies->rows, view, widths, &copies->spare, err));
        united = copies->spare;
        copies->spare = copies->rows;
        copies->rows = united;
    }
    copies->step = step;
    copies->are_some = true;
    return STATUS_OK;
}
