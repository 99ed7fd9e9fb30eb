#include "runtime/share/share.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "runtime/share/share_settle.h"
#include "runtime/share/share_target.h"

/* ----- what several steps ask ----- */

uint32_t sharing_limit(const struct share_job *job)
{
    uint32_t most = job->most;

    if (job->cap > 0 && job->cap < most)
        most = job->cap > job->least ? job->cap : job->least;
    if (job->pinned == 0)
        return share_curve_largest(&job->curve, job->least, most);
    return job->pinned < job->least ? job->least : job->pinned < most ? job->pinned : most;
}

uint32_t sharing_next(const struct share_job *job, uint32_t workers, uint32_t limit)
{
    if (job->pinned > 0)
        return workers < limit ? workers + 1 : 0;
    return share_curve_next(&job->curve, workers, limit);
}

uint32_t sharing_previous(const struct share_job *job, uint32_t workers)
{
    if (job->pinned > 0)
        return workers - 1;
    return share_curve_previous(&job->curve, workers, job->least);
}

uint32_t sharing_kept(const struct share_job *job)
{
    const uint32_t limit = sharing_limit(job);
    const uint32_t has = job->has < limit ? job->has : limit;

    if (job->pinned > 0)
        return has;
    return share_curve_down(&job->curve, has, job->least, limit);
}

bool sharing_ends_soon(const struct share_job *job)
{
    if (job->seconds_left < 0 || !job->is_running || job->has == 0)
        return false;
    return job->seconds_left < SHARE_ENDING_S * share_curve_speed(&job->curve, job->has);
}

int64_t sharing_extra(const struct share_job *job, uint32_t workers)
{
    return ((int64_t)workers - (int64_t)job->least) * job->worker.millis;
}

bool sharing_is_poorer(const struct sharing *sharing, size_t a, uint32_t workers_a, size_t b,
                       uint32_t workers_b)
{
    const struct share_job *left = &sharing->jobs[a], *right = &sharing->jobs[b];
    const int64_t extra_a = sharing_extra(left, workers_a);
    const int64_t extra_b = sharing_extra(right, workers_b);
    const uint64_t above_a = workers_a - left->least, above_b = workers_b - right->least;
    const uint64_t range_a = sharing_limit(left) - left->least;
    const uint64_t range_b = sharing_limit(right) - right->least;
    const bool has_a = left->has > workers_a, has_b = right->has > workers_b;

    if (extra_a != extra_b)
        return extra_a < extra_b;
    if (above_a * range_b != above_b * range_a)
        return above_a * range_b < above_b * range_a;
    if (has_a != has_b)
        return has_a;
    return a < b;
}

/* ----- checks ----- */

static bool is_size(struct share_size size)
{
    return size.millis >= 0 && size.bytes >= 0 && size.millis <= INT32_MAX &&
           size.bytes <= (int64_t)1 << 50;
}

static bool is_job(const struct share_job *job)
{
    return job->least >= 1 && job->least <= job->most && job->most <= SHARE_WORKERS_MAX &&
           job->rest_count <= SHARE_WORKERS_MAX && is_size(job->worker) && is_size(job->rest) &&
           job->worker.millis > 0 && job->curve.fixed >= 0 && job->curve.fixed <= SHARE_FIXED_MAX &&
           job->curve.per_worker >= 0 && job->curve.per_worker <= SHARE_PER_WORKER_MAX &&
           !isnan(job->seconds_left);
}

static enum status check(const struct share_cluster *cluster, const struct share_job *jobs,
                         size_t count, struct error *err)
{
    if (count > SHARE_JOBS_MAX || cluster->node_count > SHARE_NODES_MAX)
        return fail(err, STATUS_LIMIT, "%zu jobs on %zu nodes, at most %d on %d can share", count,
                    cluster->node_count, SHARE_JOBS_MAX, SHARE_NODES_MAX);
    for (size_t i = 0; i < cluster->node_count; i++)
        if (!is_size(cluster->nodes[i]))
            return fail(err, STATUS_INVALID, "node %zu has a size that no node has", i);
    for (size_t i = 0; i < count; i++)
        if (!is_job(&jobs[i]))
            return fail(err, STATUS_INVALID, "job %zu has numbers that no job has", i);
    return STATUS_OK;
}

/* ----- the order ----- */

struct place_in_order {
    int32_t band;
    bool is_running;
    size_t index;
};

static int compare(const void *left, const void *right)
{
    const struct place_in_order *a = left, *b = right;

    if (a->band != b->band)
        return a->band < b->band ? 1 : -1;
    if (a->is_running != b->is_running)
        return a->is_running ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static enum status find_order(struct sharing *sharing, struct error *err)
{
    struct place_in_order *places = calloc(sharing->count + 1, sizeof *places);

    if (!places)
        return fail_no_memory(err);
    for (size_t i = 0; i < sharing->count; i++)
        places[i] = (struct place_in_order){sharing->jobs[i].band, sharing->jobs[i].is_running, i};
    qsort(places, sharing->count, sizeof *places, compare);
    for (size_t i = 0; i < sharing->count; i++)
        sharing->order[i] = places[i].index;
    free(places);
    return STATUS_OK;
}

static enum status open_sharing(struct sharing *sharing, struct error *err)
{
    const size_t count = sharing->count + 1;

    sharing->order = calloc(count, sizeof *sharing->order);
    sharing->targets = calloc(count, sizeof *sharing->targets);
    sharing->is_out = calloc(count, sizeof *sharing->is_out);
    sharing->before = calloc(count, sizeof *sharing->before);
    if (!sharing->order || !sharing->targets || !sharing->is_out || !sharing->before)
        return fail_no_memory(err);
    TRY(find_order(sharing, err));
    return share_packing_open(&sharing->packing, sharing->cluster, sharing->jobs, sharing->count,
                              err);
}

enum status share_jobs(const struct share_cluster *cluster, const struct share_job *jobs,
                       size_t count, struct share_part *parts, struct error *err)
{
    struct sharing sharing = {.cluster = cluster, .jobs = jobs, .count = count};
    enum status status;

    TRY(check(cluster, jobs, count, err));
    status = open_sharing(&sharing, err);
    if (status == STATUS_OK) {
        sharing_find_targets(&sharing);
        sharing_settle(&sharing, parts);
    }
    share_packing_close(&sharing.packing);
    free(sharing.order);
    free(sharing.targets);
    free(sharing.is_out);
    free(sharing.before);
    return status;
}

/* ----- words ----- */

const char *share_reason_text(enum share_reason reason)
{
    static const char *const texts[] = {
        [SHARE_ALL] = "all that it can use",         [SHARE_PART] = "others have the rest",
        [SHARE_NO_ROOM] = "its minimum has no room", [SHARE_PINNED] = "as it was told",
        [SHARE_CAPPED] = "no more find a place",     [SHARE_ENDS] = "it ends soon",
        [SHARE_RESTS] = "it has moved lately"};

    return texts[reason];
}

bool share_rule_of(struct slice word, enum share_rule *rule)
{
    static const char *const words[] = {
        [SHARE_MIXED] = "mixed", [SHARE_EVEN] = "even", [SHARE_SOONEST] = "soonest"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (slice_is(word, words[i])) {
            *rule = (enum share_rule)i;
            return true;
        }
    return false;
}
