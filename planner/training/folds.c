#include "planner/training/folds.h"

#include "planner/columns/old_model.h"
#include "planner/plan/settings.h"
#include "planner/training/attached.h"

static const struct setting *find(const struct planning *planning)
{
    return settings_find(planning, "train.folds");
}

static int later_of(const struct setting *a, const struct setting *b)
{
    return a->name.position > b->name.position ? a->name.position : b->name.position;
}

static enum status refuse_held_out(const struct planning *planning, const struct setting *folds,
                                   const struct setting *other, const char *name)
{
    fail_at(planning->err, STATUS_INVALID, later_of(folds, other),
            "train.folds and %s exclude each other", name);
    return error_hint(planning->err, "With train.folds each row is held out once, by one of the "
                                     "models that are measured; the model itself learns from all "
                                     "rows.");
}

enum status folds_plan(struct planning *planning)
{
    const struct setting *folds = find(planning);
    const struct setting *select = settings_find(planning, "validation.select");
    const struct setting *share = settings_find(planning, "train.test_size");
    struct plan *plan = planning->plan;

    if (!folds || folds->value.number == 0)
        return STATUS_OK;
    if (folds->value.number == 1) {
        fail_at(planning->err, STATUS_INVALID, folds->value.span.start,
                "train.folds is 1, and one fold holds out all rows");
        return error_hint(planning->err, "Write 2 to 20, or leave it out.");
    }
    plan->folds = (uint32_t)folds->value.number;
    plan->folds_position = folds->value.span.start;
    if (select)
        return refuse_held_out(planning, folds, select, "validation.select");
    if (share && plan->spec.test_size > 0)
        return refuse_held_out(planning, folds, share, "train.test_size");
    plan->spec.test_size = 0;
    if (!plan->spec.shuffle) {
        fail_at(planning->err, STATUS_UNSUPPORTED, folds->name.position,
                "train.folds does not go together with train.shuffle = false");
        return error_hint(planning->err, "Folds need shuffled rows: they are drawn by the keys "
                                         "of the shuffle.");
    }
    if (!old_model_is_named(planning))
        return STATUS_OK;
    fail_at(planning->err, STATUS_UNSUPPORTED, folds->name.position,
            "train.folds does not go together with USING");
    return error_hint(planning->err, "The old model may have learned from the rows that a fold "
                                     "holds out.");
}

enum status folds_check_job(const struct planning *planning)
{
    return planning->plan->folds == 0
               ? STATUS_OK
               : attached_check(planning, "train.folds", find(planning)->name.position);
}
