#include "runtime/learn/descent/descent_best.h"

#include <math.h>
#include <string.h>

#include "jobspec/job_size.h"
#include "runtime/learn/descent/descent_guard.h"

#define WORSE_SHARE 0.02 /* share of the least loss */
#define WORSE_RISES 2    /* times the mean of all rises from epoch to epoch */

void descent_best_plan(struct descent *descent)
{
    const struct jobspec *spec = descent->learner.spec;
    const double bytes =
        job_learner_bytes(&descent->cost, true, (double)descent->learner.dataset->train.rows) +
        (double)descent->model.space_bytes;

    descent->has_room_for_best = bytes <= (double)job_learner_bytes_max(spec->memory);
    descent->chooses_best = spec->keeps_best && spec->early_stopping == 0 &&
                            !descent_only_holds(descent) &&
                            descent->learner.dataset->validation.rows >= BEST_ROWS_LEAST;
    descent->keeps_best =
        spec->early_stopping > 0 || (descent->chooses_best && descent->has_room_for_best);
}

bool descent_best_note(struct descent *descent, double loss)
{
    struct progress *progress = &descent->progress;
    const bool is_best = !progress->has_best || loss < progress->best_loss;

    if (progress->has_best && loss > progress->last_loss) {
        progress->rises += loss - progress->last_loss;
        progress->rise_count++;
    }
    progress->last_loss = loss;
    progress->evaluations_since_best++;
    if (!is_best)
        return false;
    progress->has_best = true;
    progress->best_loss = loss;
    progress->evaluations_since_best = 0;
    if (descent->arrays.best) {
        memcpy(descent->arrays.best, descent->arrays.parameters,
               descent->model.parameter_count * sizeof(float));
        descent_guard_best(descent);
    }
    return true;
}

/* About the standard error of the mean loss of the rows that are held out: squared errors deviate
 * about as much as their mean is, and of log losses the few of rows that are wrong make the sum. */
static double error_of_loss(const struct descent *descent)
{
    const double loss = fabs(descent->progress.best_loss);
    const double rows = (double)descent->learner.dataset->validation.rows;

    return descent->learner.spec->task == TASK_CLASSIFICATION ? sqrt(loss / rows) / 2
                                                              : loss / sqrt(rows);
}

static bool is_clearly_worse(const struct descent *descent)
{
    const struct progress *progress = &descent->progress;
    const double worse = progress->last_loss - progress->best_loss;
    const double rise = progress->rise_count > 0 ? progress->rises / progress->rise_count : 0;

    return worse > WORSE_SHARE * fabs(progress->best_loss) && worse > WORSE_RISES * rise &&
           worse > error_of_loss(descent);
}

bool descent_best_is_kept(const struct descent *descent)
{
    if (!descent->arrays.best || !descent->progress.has_best)
        return false;
    return descent->learner.spec->early_stopping > 0 || is_clearly_worse(descent);
}

uint32_t descent_last_epoch(const struct descent *descent)
{
    return descent->learner.phase.epoch + 1;
}

uint32_t descent_best_epoch(const struct descent *descent)
{
    return descent_last_epoch(descent) - descent->progress.evaluations_since_best;
}

void descent_best_tell(struct descent *descent)
{
    struct notice_list *notices = &descent->learner.measuring.notices;
    const struct progress *progress = &descent->progress;
    const double unit = descent_loss_unit(descent);
    const uint32_t best = descent_best_epoch(descent), last = descent_last_epoch(descent);

    if (!descent->chooses_best || !progress->has_best || !is_clearly_worse(descent))
        return;
    if (descent->keeps_best) {
        notice_add(notices, NOTICE_DEFAULTS,
                   "the weights of epoch %u of %u are kept: the loss of the rows held out was %.4g "
                   "there, and %.4g after the last",
                   best, last, unit * progress->best_loss, unit * progress->last_loss);
        notice_hint(notices, "train.early_stopping = 0 keeps those of the last epoch.");
        return;
    }
    notice_add(
        notices, NOTICE_DEFAULTS,
        "the loss of the rows held out was least in epoch %u of %u: %.4g, and %.4g after the "
        "last; a copy of its weights has no room",
        best, last, unit * progress->best_loss, unit * progress->last_loss);
    notice_hint(notices, "Raise job.memory, or lower train.epoch.");
}
