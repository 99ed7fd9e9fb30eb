/*
 * job.where = 'kubernetes', and the attributes that mean something there alone.
 */
#include "planner/training/cluster.h"

#include "planner/columns/old_model.h"
#include "planner/plan/planning.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"

static enum status refuse(const struct planning *planning, const struct setting *where)
{
    const struct catalog_limits *limits = &planning->catalog->limits;

    fail_at(planning->err, STATUS_UNSUPPORTED, where->value.span.start, "%s",
            limits->no_cluster ? limits->no_cluster
                               : "job.where = 'kubernetes' needs a database that Pods can reach");
    return error_hint(planning->err, "%s",
                      limits->no_cluster_hint
                          ? limits->no_cluster_hint
                          : "SQLite's file is on this machine alone; PostgreSQL can be reached.");
}

/* Refuses attributes that have a use on this machine alone. */
static enum status check_others(const struct planning *planning)
{
    static const char *const local[] = {"log.tensorboard", "job.metrics"};
    const struct setting *wait = settings_find(planning, "job.wait");
    const struct setting *memory = settings_find(planning, "job.memory");
    const struct plan *plan = planning->plan;
    const bool waits = plan->kind == STATEMENT_TRAIN ? plan->wait : plan->scoring.wait;

    for (size_t i = 0; i < sizeof local / sizeof *local; i++) {
        const struct setting *setting = settings_find(planning, local[i]);

        if (setting)
            return fail_at(planning->err, STATUS_UNSUPPORTED, setting->name.position,
                           "%s applies to this machine, and the job runs on a cluster", local[i]);
    }
    if (memory) {
        fail_at(planning->err, STATUS_INVALID, memory->name.position,
                "job.memory limits workers of this machine, and the job runs on a cluster");
        return error_hint(planning->err, "There job.worker_memory is the limit of each worker.");
    }
    if (waits || planning->catalog->limits.keeps_cluster)
        return STATUS_OK;
    fail_at(planning->err, STATUS_UNSUPPORTED, wait->name.position,
            "job.wait = false is of no use where no user waits for the session");
    return error_hint(planning->err, "Leave it out: the job writes its result when it is done.");
}

static const char *const names[] = {"job.image",      "job.priority",      "job.profile",
                                    "job.worker_cpu", "job.worker_memory", "job.ps_cpu",
                                    "job.read"};

bool cluster_knows(const char *attribute)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_is(slice_of(attribute), names[i]))
            return true;
    return false;
}

/* job.read = 'auto', which this machine has too, and what processes that are started elsewhere
 * know. */
static bool is_read_here(const struct planning *planning, const struct setting *setting)
{
    return setting == settings_find(planning, "job.read") &&
           (planning->catalog->limits.is_staged ||
            slice_equal_fold(setting->value.text, SLICE("auto")));
}

static enum status check_local(const struct planning *planning)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct setting *setting = settings_find(planning, names[i]);

        if (!setting || is_read_here(planning, setting))
            continue;
        fail_at(planning->err, STATUS_INVALID, setting->name.position,
                "attribute \"%s\" has no use with a job on this machine", names[i]);
        return error_hint(planning->err, "job.where = 'kubernetes' sends the job to a cluster.");
    }
    return STATUS_OK;
}

static struct slice text_of(const struct planning *planning, const char *name)
{
    const struct setting *setting = settings_find(planning, name);

    return setting ? setting->value.text : SLICE("");
}

static bool says(const struct planning *planning, const char *name, const char *value)
{
    const struct setting *setting = settings_find(planning, name);

    return setting && slice_is_fold(setting->value.text, value);
}

/* Workers read the rows shard by shard, in no order: bad ones cannot be told apart and put aside.
 */
enum status cluster_plan_reading(struct planning *planning)
{
    const struct jobspec *training = &planning->plan->spec;
    const struct setting *setting = settings_find(planning, "job.read");
    const bool skips =
        says(planning, "train.bad_rows", "skip") || says(planning, "train.bad_rows", "quarantine");
    const bool goes_on = old_model_is_named(planning);

    planning->plan->cluster.reads_directly = says(planning, "job.read", "direct");
    if (!planning->plan->cluster.reads_directly ||
        (!skips && !goes_on && training->shuffle && planning->plan->wait))
        return STATUS_OK;
    fail_at(planning->err, STATUS_UNSUPPORTED, setting->name.position,
            "job.read = 'direct' does not go together with %s",
            skips                ? "train.bad_rows"
            : goes_on            ? "USING"
            : !training->shuffle ? "train.shuffle = false"
                                 : "job.wait = false");
    return error_hint(planning->err, "Without it this session reads the rows.");
}

/* Does the job go to the cluster? One that does not train goes there only where job.where says so.
 */
static bool is_for_cluster(const struct planning *planning)
{
    return settings_find(planning, "job.where")
               ? says(planning, "job.where", "kubernetes")
               : planning->catalog->limits.wants_cluster && planning->plan->kind == STATEMENT_TRAIN;
}

/* In thousandths; 0: it is not said. */
static int64_t cpu_of(const struct planning *planning, const char *name)
{
    const struct setting *setting = settings_find(planning, name);

    return setting ? (int64_t)(setting->value.number * 1000 + 0.5) : 0;
}

enum status cluster_plan(struct planning *planning)
{
    const struct setting *where = settings_find(planning, "job.where");
    struct plan_cluster *cluster = &planning->plan->cluster;

    if (!is_for_cluster(planning))
        return check_local(planning);
    if (where && !planning->catalog->limits.has_cluster)
        return refuse(planning, where);
    cluster->is_wanted = true;
    TRY(slice_keep(planning, text_of(planning, "job.image"), &cluster->image));
    TRY(slice_keep(planning, text_of(planning, "job.priority"), &cluster->priority_class));
    TRY(slice_keep(planning, text_of(planning, "job.profile"), &cluster->profile));
    TRY(slice_keep(planning, text_of(planning, "job.worker_memory"), &cluster->memory));
    cluster->cpu_m = cpu_of(planning, "job.worker_cpu");
    cluster->server_cpu_m = cpu_of(planning, "job.ps_cpu");
    return check_others(planning);
}
