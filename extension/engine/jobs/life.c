#include "extension/engine/jobs/life.h"

#include "extension/engine/host/host.h"
#include "k8s/job/cluster_folder.h"
#include "runtime/launch/job_lock.h"

/* clang-format off */
const struct job_life job_lives[LIFE_COUNT] = {
    /*                         name                   runs           workers  waits             publishes        */
    [LIFE_ATTACHED]        = {"attached",             PLACE_MACHINE, false,   ACTOR_SESSION,    ACTOR_SESSION},
    [LIFE_DETACHED]        = {"detached",             PLACE_MACHINE, false,   ACTOR_SUPERVISOR, ACTOR_SUPERVISOR},
    [LIFE_SERVED]          = {"detached in a server", PLACE_MACHINE, false,   ACTOR_SERVER,     ACTOR_SERVER},
    [LIFE_STAGED]          = {"staged",               PLACE_TABLES,  true,    ACTOR_NOBODY,     ACTOR_COLLECTOR},
    [LIFE_ON_CLUSTER]      = {"on a cluster",         PLACE_CLUSTER, true,    ACTOR_SESSION,    ACTOR_SESSION},
    [LIFE_KEPT_BY_PROGRAM] = {"kept by the program",  PLACE_CLUSTER, false,   ACTOR_SUPERVISOR, ACTOR_SUPERVISOR},
    [LIFE_KEPT_BY_SERVER]  = {"kept by the server",   PLACE_CLUSTER, false,   ACTOR_SERVER,     ACTOR_SERVER},
};
/* clang-format on */

static enum job_life_index life_on_cluster(const struct host *host, const struct plan *plan,
                                           bool waits)
{
    const enum job_life_index kept = host->jobs ? LIFE_KEPT_BY_SERVER : LIFE_KEPT_BY_PROGRAM;

    if (host->cluster->keeps == KEEPS_NONE || (waits && host->cluster->keeps != KEEPS_ALL))
        return LIFE_ON_CLUSTER;
    /* The session's snapshot holds the user's table while workers read it. */
    if (plan->cluster.reads_directly && !job_lives[kept].workers_may_read)
        return LIFE_ON_CLUSTER;
    /* A session that waits has the rows of a table of predictions, whatever their types. */
    if (waits && plan->kind != STATEMENT_TRAIN)
        return LIFE_ON_CLUSTER;
    return kept;
}

const struct job_life *job_life_of(const struct host *host, const struct plan *plan)
{
    const bool trains = plan->kind == STATEMENT_TRAIN;
    const bool waits = trains ? plan->wait : plan->scoring.wait;

    if (trains && host->catalog.limits.is_staged)
        return &job_lives[LIFE_STAGED];
    if (plan->cluster.is_wanted)
        return &job_lives[life_on_cluster(host, plan, waits)];
    if (waits)
        return &job_lives[LIFE_ATTACHED];
    return &job_lives[host->jobs ? LIFE_SERVED : LIFE_DETACHED];
}

const struct job_life *job_life_of_folder(const char *folder, bool has_destination)
{
    const bool is_on_cluster = cluster_folder_is(folder);

    if (has_destination)
        return &job_lives[is_on_cluster ? LIFE_KEPT_BY_PROGRAM : LIFE_DETACHED];
    if (job_is_kept(folder))
        return &job_lives[is_on_cluster ? LIFE_KEPT_BY_SERVER : LIFE_SERVED];
    return &job_lives[is_on_cluster ? LIFE_ON_CLUSTER : LIFE_ATTACHED];
}
