#include "runtime/process/working/opening.h"

#include <stdlib.h>

#include "runtime/data/dataset/row_store.h"
#include "runtime/data/dataset_open.h"
#include "runtime/learners/learners.h"
#include "runtime/loop/loop_task.h"

struct learner_loader {
    const struct job *job;
    enum opening_what what;
    struct team *team;
    const struct spool_source *source; /* brings the data set's rows; NULL: they are here */
    struct dataset dataset;
    bool has_dataset;
    struct learner *learner; /* NULL: none */
    struct error err;
    struct loop_task task;
    bool is_done;
    void (*ready)(void *context);
    void *context;
};

/* Rows of one epoch are of no use after it; those of more have what the learner and its sums leave,
 * and a quarter of that is for whatever else there is. */
static uint64_t bytes_kept(const struct job *job, struct learner *learner)
{
    const uint64_t memory = job_memory(job, job->spec.max_workers);
    const uint64_t used = 3 * learner_state_bytes(learner);

    return job->spec.epochs != 1 && memory > used ? (memory - used) / 4 * 3 : 0;
}

static void open_rows(void *argument)
{
    struct learner_loader *opening = argument;
    const struct job *job = opening->job;

    opening->team = team_new(job_threads(job, job->spec.max_workers));
    if (!job->fetch || job->fetch(job, &opening->source, &opening->err) == STATUS_OK)
        opening->has_dataset = dataset_open(job->folder, opening->source, &job->spec, opening->team,
                                            &opening->dataset, &opening->err) == STATUS_OK;
    if (!opening->has_dataset || opening->what == OPENING_ROWS_ALONE)
        return;
    if (learning_open(&job->spec, &opening->dataset, opening->team, &opening->learner,
                      &opening->err) == STATUS_OK)
        row_store_keep(&opening->dataset, bytes_kept(job, opening->learner));
}

static void on_done(void *context)
{
    struct learner_loader *opening = context;

    opening->is_done = true;
    opening->ready(opening->context);
}

enum status opening_start(struct loop *loop, const struct job *job, enum opening_what what,
                          void (*ready)(void *context), void *context, struct learner_loader **out,
                          struct error *err)
{
    struct learner_loader *opening = calloc(1, sizeof *opening);
    enum status status;

    if (!opening)
        return fail_no_memory(err);
    opening->job = job;
    opening->what = what;
    opening->ready = ready;
    opening->context = context;
    opening->task = (struct loop_task){.run = open_rows, .ended = on_done, .context = opening};
    error_clear(&opening->err);
    status = loop_task_start(loop, &opening->task, err);
    if (status == STATUS_OK)
        *out = opening;
    else
        free(opening);
    return status;
}

bool opening_is_done(const struct learner_loader *opening)
{
    return opening->is_done;
}

struct learner *opening_learner(const struct learner_loader *opening)
{
    return opening->learner;
}

const struct dataset *opening_dataset(const struct learner_loader *opening)
{
    return opening->has_dataset ? &opening->dataset : NULL;
}

struct team *opening_team(const struct learner_loader *opening)
{
    return opening->team;
}

enum status opening_use_threads(struct learner_loader *opening, uint32_t threads, struct error *err)
{
    struct team *before = opening->team, *team;

    if (!opening->learner || threads == team_size(before))
        return STATUS_OK;
    team = team_new(threads);
    TRY(learner_use_team(opening->learner, team, err));
    opening->team = team;
    team_free(before);
    return STATUS_OK;
}

bool opening_lacks_database(const struct learner_loader *opening)
{
    return opening->err.status == STATUS_CONNECTION;
}

const struct error *opening_error(const struct learner_loader *opening)
{
    return &opening->err;
}

void opening_free(struct learner_loader *opening)
{
    if (opening->learner)
        learner_close(opening->learner);
    if (opening->has_dataset)
        dataset_close(&opening->dataset);
    if (opening->source)
        opening->source->close(opening->source->self);
    team_free(opening->team);
    free(opening);
}
