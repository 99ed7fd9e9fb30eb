#include "runtime/share/share_packing.h"

#include <stdlib.h>
#include <string.h>

static int64_t or_unlimited(int64_t quota)
{
    return quota > 0 ? quota : INT64_MAX;
}

void share_packing_clear(struct share_packing *packing, const struct share_cluster *cluster,
                         size_t count)
{
    for (size_t i = 0; i < cluster->quota_count; i++) {
        const struct share_quota *quota = &cluster->quotas[i];

        packing->left[i] = (struct share_quota){
            {or_unlimited(quota->size.millis), or_unlimited(quota->size.bytes)},
            quota->pods > 0 ? quota->pods : UINT32_MAX};
    }
    packing->free_millis = 0;
    for (size_t i = 0; i < cluster->node_count; i++) {
        packing->nodes[i] = cluster->nodes[i];
        packing->free_millis += cluster->nodes[i].millis;
    }
    for (size_t i = 0; i < count; i++)
        packing->stacks[i].count = 0;
}

enum status share_packing_open(struct share_packing *packing, const struct share_cluster *cluster,
                               const struct share_job *jobs, size_t count, struct error *err)
{
    size_t places = 0;

    memset(packing, 0, sizeof *packing);
    for (size_t i = 0; i < count; i++)
        places += jobs[i].most + jobs[i].rest_count;
    packing->node_count = cluster->node_count;
    packing->nodes = calloc(cluster->node_count + 1, sizeof *packing->nodes);
    packing->quota_count = cluster->quota_count;
    packing->left = calloc(cluster->quota_count + 1, sizeof *packing->left);
    packing->stacks = calloc(count + 1, sizeof *packing->stacks);
    packing->places = calloc(places + 1, sizeof *packing->places);
    if (!packing->nodes || !packing->left || !packing->stacks || !packing->places) {
        share_packing_close(packing);
        return fail_no_memory(err);
    }
    places = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t room = jobs[i].most + jobs[i].rest_count;

        packing->stacks[i] = (struct share_stack){.nodes = packing->places + places, .room = room};
        places += room;
    }
    share_packing_clear(packing, cluster, count);
    return STATUS_OK;
}

void share_packing_close(struct share_packing *packing)
{
    free(packing->nodes);
    free(packing->left);
    free(packing->stacks);
    free(packing->places);
    memset(packing, 0, sizeof *packing);
}

static struct share_size pod_at(const struct share_job *job, uint32_t place)
{
    return place < job->rest_count ? job->rest : job->worker;
}

static bool fits(struct share_size pod, struct share_size room)
{
    return pod.millis <= room.millis && pod.bytes <= room.bytes;
}

/* Two nodes with as few processors left: the one with less memory. */
static bool is_tighter(struct share_size node, struct share_size than)
{
    return node.millis != than.millis ? node.millis < than.millis : node.bytes < than.bytes;
}

/* The node with the least room that has enough; node_count: none. */
static size_t find_node(const struct share_packing *packing, struct share_size pod)
{
    size_t best = packing->node_count;

    for (size_t i = 0; i < packing->node_count; i++)
        if (fits(pod, packing->nodes[i]) &&
            (best == packing->node_count || is_tighter(packing->nodes[i], packing->nodes[best])))
            best = i;
    return best;
}

/* A pod that runs stays where it is, unless its node has less room than before. */
static size_t node_for(const struct share_packing *packing, const struct share_job *job,
                       uint32_t place, struct share_size pod)
{
    if (job->nodes && place < job->rest_count + job->has &&
        job->nodes[place] < packing->node_count && fits(pod, packing->nodes[job->nodes[place]]))
        return job->nodes[place];
    return find_node(packing, pod);
}

/* NULL: no quota counts it. */
static struct share_quota *quota_of(struct share_packing *packing, const struct share_job *job)
{
    return job->quota < packing->quota_count ? &packing->left[job->quota] : NULL;
}

/* Counts a pod as there, or (-1) as gone. node_count: it takes no room of a node. */
static void count(struct share_packing *packing, const struct share_job *job, uint32_t node,
                  struct share_size pod, int sign)
{
    struct share_quota *quota = quota_of(packing, job);

    if (node < packing->node_count) {
        packing->nodes[node].millis -= sign * pod.millis;
        packing->nodes[node].bytes -= sign * pod.bytes;
        packing->free_millis -= sign * pod.millis;
    }
    if (!quota)
        return;
    quota->size.millis -= sign * pod.millis;
    quota->size.bytes -= sign * pod.bytes;
    quota->pods -= (uint32_t)sign;
}

static bool push(struct share_packing *packing, const struct share_job *job,
                 struct share_stack *stack)
{
    const struct share_size pod = pod_at(job, stack->count);
    const struct share_quota *quota = quota_of(packing, job);
    size_t node;

    if ((quota && (quota->pods == 0 || !fits(pod, quota->size))) || stack->count == stack->room)
        return false;
    node = packing->node_count;
    if (stack->count >= job->rest_placed) {
        node = node_for(packing, job, stack->count, pod);
        if (node == packing->node_count)
            return false;
    }
    count(packing, job, (uint32_t)node, pod, 1);
    stack->nodes[stack->count++] = (uint32_t)node;
    return true;
}

static void pop(struct share_packing *packing, const struct share_job *job,
                struct share_stack *stack)
{
    const struct share_size pod = pod_at(job, --stack->count);

    count(packing, job, stack->nodes[stack->count], pod, -1);
}

static bool push_up_to(struct share_packing *packing, const struct share_job *job, size_t index,
                       uint32_t pods)
{
    struct share_stack *stack = &packing->stacks[index];
    const uint32_t before = stack->count;

    while (stack->count < pods)
        if (!push(packing, job, stack)) {
            while (stack->count > before)
                pop(packing, job, stack);
            return false;
        }
    return true;
}

bool share_packing_begin(struct share_packing *packing, const struct share_job *job, size_t index)
{
    return push_up_to(packing, job, index, job->rest_count + job->least);
}

bool share_packing_grow(struct share_packing *packing, const struct share_job *job, size_t index,
                        uint32_t workers)
{
    return push_up_to(packing, job, index, job->rest_count + workers);
}

void share_packing_shrink(struct share_packing *packing, const struct share_job *job, size_t index,
                          uint32_t workers)
{
    struct share_stack *stack = &packing->stacks[index];

    while (stack->count > job->rest_count + workers)
        pop(packing, job, stack);
}

uint32_t share_packing_workers(const struct share_packing *packing, const struct share_job *job,
                               size_t index)
{
    const uint32_t pods = packing->stacks[index].count;

    return pods > job->rest_count ? pods - job->rest_count : 0;
}

int64_t share_packing_free(const struct share_packing *packing)
{
    int64_t left = packing->quota_count > 0 ? 0 : INT64_MAX;

    for (size_t i = 0; i < packing->quota_count; i++)
        left = packing->left[i].size.millis < INT64_MAX - left ? left + packing->left[i].size.millis
                                                               : INT64_MAX;
    return packing->free_millis < left ? packing->free_millis : left;
}
