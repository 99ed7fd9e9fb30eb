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
    packing->left = (struct share_size){or_unlimited(cluster->quota.millis),
                                        or_unlimited(cluster->quota.bytes)};
    packing->pods_left = cluster->pods > 0 ? cluster->pods : UINT32_MAX;
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
    packing->stacks = calloc(count + 1, sizeof *packing->stacks);
    packing->places = calloc(places + 1, sizeof *packing->places);
    if (!packing->nodes || !packing->stacks || !packing->places) {
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

static bool push(struct share_packing *packing, const struct share_job *job,
                 struct share_stack *stack)
{
    const struct share_size pod = pod_at(job, stack->count);
    size_t node;

    if (packing->pods_left == 0 || !fits(pod, packing->left) || stack->count == stack->room)
        return false;
    node = node_for(packing, job, stack->count, pod);
    if (node == packing->node_count)
        return false;
    packing->nodes[node].millis -= pod.millis;
    packing->nodes[node].bytes -= pod.bytes;
    packing->left.millis -= pod.millis;
    packing->left.bytes -= pod.bytes;
    packing->free_millis -= pod.millis;
    packing->pods_left--;
    stack->nodes[stack->count++] = (uint32_t)node;
    return true;
}

static void pop(struct share_packing *packing, struct share_stack *stack, struct share_size pod)
{
    struct share_size *node = &packing->nodes[stack->nodes[--stack->count]];

    node->millis += pod.millis;
    node->bytes += pod.bytes;
    packing->left.millis += pod.millis;
    packing->left.bytes += pod.bytes;
    packing->free_millis += pod.millis;
    packing->pods_left++;
}

static bool push_up_to(struct share_packing *packing, const struct share_job *job, size_t index,
                       uint32_t pods)
{
    struct share_stack *stack = &packing->stacks[index];
    const uint32_t before = stack->count;

    while (stack->count < pods)
        if (!push(packing, job, stack)) {
            while (stack->count > before)
                pop(packing, stack, pod_at(job, stack->count - 1));
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
        pop(packing, stack, pod_at(job, stack->count - 1));
}

uint32_t share_packing_workers(const struct share_packing *packing, const struct share_job *job,
                               size_t index)
{
    const uint32_t pods = packing->stacks[index].count;

    return pods > job->rest_count ? pods - job->rest_count : 0;
}

int64_t share_packing_free(const struct share_packing *packing)
{
    return packing->free_millis < packing->left.millis ? packing->free_millis
                                                       : packing->left.millis;
}
