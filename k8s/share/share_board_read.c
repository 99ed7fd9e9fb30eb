#include "k8s/share/share_board_read.h"

#include <math.h>
#include <string.h>

#include "base/sums/hash.h"
#include "k8s/client/api_answer.h"
#include "k8s/objects/manifest.h"

#define MILLIS 1000

uint64_t board_hash(struct slice text)
{
    return text.size > 0 ? bytes_hash(text.data, text.size, 0) : 0;
}

/* A quantity of the API: "100m", "1.5", "2Gi", "128e6". 0 for none, and for what is no quantity. */
static double quantity(struct slice text)
{
    static const struct {
        const char *suffix;
        double times;
    } suffixes[] = {{"", 1},        {"m", 1e-3},    {"k", 1e3},     {"M", 1e6},     {"G", 1e9},
                    {"T", 1e12},    {"P", 1e15},    {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30},
                    {"Ti", 0x1p40}, {"Pi", 0x1p50}, {"u", 1e-6},    {"n", 1e-9}};
    double number;

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const size_t size = strlen(suffixes[i].suffix);

        if (size < text.size &&
            memcmp(text.data + text.size - size, suffixes[i].suffix, size) == 0 &&
            slice_to_real((struct slice){text.data, text.size - size}, &number) &&
            isfinite(number) && number >= 0)
            return number * suffixes[i].times;
    }
    return 0;
}

static int64_t limited(double value, double most)
{
    return (int64_t)ceil(value < most ? value : most);
}

static struct share_size size_of(struct slice cpu, struct slice memory)
{
    return (struct share_size){limited(quantity(cpu) * MILLIS, INT32_MAX),
                               limited(quantity(memory), 0x1p50)};
}

/* ----- Jobs ----- */

static bool is_true(const cJSON *object, const char *condition)
{
    return slice_is(API_TEXT(api_condition(object, condition), "status"), "True");
}

bool board_read_job(const cJSON *object, struct board_job *job)
{
    const struct slice use = API_TEXT(object, "metadata", "annotations", MANIFEST_USE);
    struct error err;

    error_clear(&err);
    slice_copy(API_TEXT(object, "metadata", "name"), job->name, sizeof job->name);
    slice_copy(API_TEXT(object, "metadata", "creationTimestamp"), job->created,
               sizeof job->created);
    job->is_suspended = cJSON_IsTrue(API_MEMBER(object, "spec", "suspend"));
    job->is_told_to_rest = API_TEXT(object, "metadata", "annotations", SHARE_BOARD_RESTS).size > 0;
    job->has_ended = API_MEMBER(object, "metadata", "deletionTimestamp") != NULL ||
                     is_true(object, "Complete") || is_true(object, "Failed") ||
                     is_true(object, "SuccessCriteriaMet") || is_true(object, "FailureTarget");
    return use.size > 0 && share_report_read(use, &job->report, &err) == STATUS_OK;
}

/* ----- Pods ----- */

static struct share_size requests_of(const cJSON *container)
{
    return size_of(API_TEXT(container, "resources", "requests", "cpu"),
                   API_TEXT(container, "resources", "requests", "memory"));
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct share_size size_of_pod(const cJSON *object)
{
    struct share_size size = {0, 0}, before = {0, 0};
    const cJSON *container;

    cJSON_ArrayForEach(container, API_MEMBER(object, "spec", "containers"))
    {
        const struct share_size one = requests_of(container);

        size.millis += one.millis;
        size.bytes += one.bytes;
    }
    cJSON_ArrayForEach(container, API_MEMBER(object, "spec", "initContainers"))
    {
        const struct share_size one = requests_of(container);

        before.millis = larger(before.millis, one.millis);
        before.bytes = larger(before.bytes, one.bytes);
    }
    return (struct share_size){larger(size.millis, before.millis),
                               larger(size.bytes, before.bytes)};
}

static struct slice owner_of(const cJSON *object)
{
    const cJSON *owner;

    cJSON_ArrayForEach(owner, API_MEMBER(object, "metadata", "ownerReferences"))
    {
        if (slice_is(API_TEXT(owner, "kind"), "Job"))
            return API_TEXT(owner, "uid");
    }
    return SLICE("");
}

void board_read_pod(const cJSON *object, int64_t now_ms, struct board_pod *pod)
{
    const struct slice phase = API_TEXT(object, "status", "phase");
    const cJSON *scheduled = api_condition(object, "PodScheduled");
    const bool is_unplaced = slice_is(API_TEXT(scheduled, "status"), "False") &&
                             slice_is(API_TEXT(scheduled, "reason"), "Unschedulable");

    pod->owner = board_hash(owner_of(object));
    pod->is_worker = slice_is(API_TEXT(object, "metadata", "labels", "totrain.dev/role"), "worker");
    pod->node = board_hash(API_TEXT(object, "spec", "nodeName"));
    pod->size = size_of_pod(object);
    pod->is_leaving = API_MEMBER(object, "metadata", "deletionTimestamp") != NULL;
    pod->has_ended = slice_is(phase, "Succeeded") || slice_is(phase, "Failed");
    /* A cluster that reports no node of its pods says at least that they run. */
    if (pod->node == 0 && slice_is(phase, "Running"))
        pod->node = 1;
    if (!is_unplaced || pod->is_leaving || pod->node != 0)
        pod->unplaced_ms = 0;
    else if (pod->unplaced_ms == 0)
        pod->unplaced_ms = larger(now_ms, 1);
}

/* ----- nodes and quotas ----- */

static bool repels(const cJSON *object)
{
    const cJSON *taint;

    cJSON_ArrayForEach(taint, API_MEMBER(object, "spec", "taints"))
    {
        const struct slice effect = API_TEXT(taint, "effect");

        if (slice_is(effect, "NoSchedule") || slice_is(effect, "NoExecute"))
            return true;
    }
    return cJSON_IsTrue(API_MEMBER(object, "spec", "unschedulable"));
}

bool board_read_node(const cJSON *object, struct board_node *node)
{
    node->name = board_hash(API_TEXT(object, "metadata", "name"));
    node->size = size_of(API_TEXT(object, "status", "allocatable", "cpu"),
                         API_TEXT(object, "status", "allocatable", "memory"));
    node->is_closed = repels(object) || !is_true(object, "Ready");
    return node->name != 0;
}

/* The first of two names that it has a limit for. */
static bool read_limit(const cJSON *object, const char *name, const char *other, double times,
                       int64_t *hard, int64_t *used)
{
    const cJSON *limits = API_MEMBER(object, "status", "hard");

    if (!API_MEMBER(limits, name))
        name = other;
    if (!API_MEMBER(limits, name))
        return false;
    *hard = limited(times * quantity(API_TEXT(limits, name)), 0x1p50);
    *used = limited(times * quantity(API_TEXT(object, "status", "used", name)), 0x1p50);
    return true;
}

bool board_read_quota(const cJSON *object, struct board_quota *quota)
{
    int64_t hard = 0, used = 0;

    quota->has_cpu = read_limit(object, "requests.cpu", "cpu", MILLIS, &quota->hard.size.millis,
                                &quota->used.size.millis);
    quota->has_memory = read_limit(object, "requests.memory", "memory", 1, &quota->hard.size.bytes,
                                   &quota->used.size.bytes);
    quota->has_pods = read_limit(object, "pods", "count/pods", 1, &hard, &used);
    quota->hard.pods = (uint32_t)(hard < UINT32_MAX ? hard : UINT32_MAX);
    quota->used.pods = (uint32_t)(used < UINT32_MAX ? used : UINT32_MAX);
    return !API_MEMBER(object, "spec", "scopes") && !API_MEMBER(object, "spec", "scopeSelector") &&
           (quota->has_cpu || quota->has_memory || quota->has_pods);
}
