#include "planner/training/final_choice.h"

#include "jobspec/job_size.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"

static enum status refuse_rule(const struct planning *planning, const struct setting *setting)
{
    fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
            "train.threshold is a number from 0 to 1, or how one is chosen");
    return error_hint(planning->err, "'f1', 'recall >= 0.95', 'precision >= 0.9', or 'cost 1, 20': "
                                     "the cost of a false positive, and of a false negative.");
}

static enum status take_threshold(struct planning *planning, const struct setting *setting)
{
    struct jobspec *spec = &planning->plan->spec;
    struct threshold_choice choice;

    if (!setting)
        return STATUS_OK;
    if (setting->value.kind == VALUE_BOOLEAN ||
        setting->value.text.size > THRESHOLD_RULE_BYTES_MAX ||
        !threshold_choice_parse(setting->value.text, &choice))
        return refuse_rule(planning, setting);
    return slice_keep(planning, setting->value.text, &spec->threshold);
}

static void take_calibration(struct planning *planning, const struct setting *setting)
{
    unsigned word;

    if (setting && term_find_fold(calibration_words, setting->value.text, &word))
        planning->plan->spec.calibration = (enum calibration)word;
}

static enum status refuse_margins(const struct planning *planning, const struct setting *setting)
{
    fail_at(planning->err, STATUS_INVALID, setting->name.position,
            "%.*s needs probabilities, and a model that is learned by a hinge loss has none",
            SLICE_FORMAT(setting->name.text));
    return error_hint(planning->err, "model.loss = 'log_loss' has some.");
}

static enum status refuse_rows(const struct planning *planning, const struct setting *setting)
{
    fail_at(planning->err, STATUS_INVALID, setting->name.position,
            "%.*s is learned from rows that are held out, and train.test_size is 0",
            SLICE_FORMAT(setting->name.text));
    return error_hint(planning->err, "train.test_size = 0.2 holds out a fifth of the rows, "
                                     "validation.select names others, and with train.folds = 5 "
                                     "each row is scored by a model of the others.");
}

enum status final_step_plan(struct planning *planning)
{
    const struct setting *threshold = settings_find(planning, "train.threshold");
    const struct setting *calibration = settings_find(planning, "train.calibration");
    const struct setting *setting = calibration ? calibration : threshold;
    const struct plan *plan = planning->plan;
    const struct kind *kind = plan->estimator->kind;

    TRY(take_threshold(planning, threshold));
    take_calibration(planning, calibration);
    if (plan->spec.calibration == CALIBRATION_NONE)
        setting = threshold;
    if (!setting)
        return STATUS_OK;
    if (kind->link && kind->link(&plan->spec.params) == LABEL_LINK_MARGIN)
        return refuse_margins(planning, setting);
    if (job_fits_final_step(&plan->spec) && plan->folds == 0 && plan->spec.test_size == 0 &&
        !settings_find(planning, "validation.select"))
        return refuse_rows(planning, setting);
    return STATUS_OK;
}
