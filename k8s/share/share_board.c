#include "k8s/share/share_board.h"

#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "k8s/share/share_board_parts.h"
#include "k8s/share/share_board_read.h"

enum status share_board_new(enum share_rule rule, struct share_board **out, struct error *err)
{
    struct share_board *board = calloc(1, sizeof *board);

    if (!board)
        return fail_no_memory(err);
    board->rule = rule;
    board->has_changed = true;
    *out = board;
    return STATUS_OK;
}

void share_board_free(struct share_board *board)
{
    if (!board)
        return;
    free(board->jobs.items);
    free(board->pods.items);
    free(board->nodes.items);
    free(board->quotas.items);
    free(board->decided);
    free(board);
}

void share_board_forget(struct share_board *board)
{
    board->jobs.count = board->pods.count = board->nodes.count = board->quotas.count = 0;
    board->has_changed = true;
}

void share_board_leave(struct share_board *board, struct slice uid)
{
    board->left = board_hash(uid);
    board->has_changed = true;
}

void share_board_see_nodes(struct share_board *board, bool are_seen)
{
    board->sees_nodes = are_seen;
}

/* ----- what the watches bring ----- */

static void *item_at(const struct board_array *array, uint32_t index, size_t bytes)
{
    return (char *)array->items + (size_t)index * bytes;
}

static void *find(const struct board_array *array, struct slice uid, size_t bytes)
{
    for (uint32_t i = 0; i < array->count; i++)
        if (slice_is(uid, item_at(array, i, bytes)))
            return item_at(array, i, bytes);
    return NULL;
}

static bool drop(struct board_array *array, struct slice uid, size_t bytes)
{
    char *item = find(array, uid, bytes);

    if (!item)
        return false;
    array->count--;
    memmove(item, item_at(array, array->count, bytes), bytes);
    return true;
}

/* The item of this uid, which may be new, and then is zeroed behind its uid. */
static enum status take(struct board_array *array, struct slice uid, size_t bytes, uint32_t most,
                        void **out, struct error *err)
{
    char *item = find(array, uid, bytes);

    if (!item) {
        if (uid.size == 0 || uid.size >= SHARE_UID_MAX || array->count >= most)
            return fail(err, STATUS_LIMIT, "more than %u objects, or a uid of %zu bytes", most,
                        uid.size);
        TRY(reserve_array(&array->items, &array->room, array->count + 1, bytes, err));
        item = item_at(array, array->count++, bytes);
        memset(item, 0, bytes);
        slice_copy(uid, item, SHARE_UID_MAX);
    }
    *out = item;
    return STATUS_OK;
}

static bool is_other_report(const struct share_job *a, const struct share_job *b)
{
    return a->band != b->band || a->least != b->least || a->most != b->most ||
           a->pinned != b->pinned || a->cap != b->cap || a->rest_count != b->rest_count ||
           a->curve.lanes != b->curve.lanes || a->worker.millis != b->worker.millis ||
           a->worker.bytes != b->worker.bytes;
}

enum status share_board_on_job(struct share_board *board, int64_t now_ms, size_t space,
                               struct slice uid, const cJSON *object, struct error *err)
{
    struct board_job read, *job = find(&board->jobs, uid, sizeof *job);
    void *item;

    if (job)
        read = *job;
    else
        memset(&read, 0, sizeof read);
    if (!object || !board_read_job(object, &read)) {
        if (drop(&board->jobs, uid, sizeof *job))
            board->has_changed = true;
        return STATUS_OK;
    }
    if (!job) {
        TRY(take(&board->jobs, uid, sizeof *job, SHARE_JOBS_MAX, &item, err));
        memcpy(read.uid, item, sizeof read.uid);
        job = item;
        read.hash = board_hash(uid);
        read.space = space;
        read.moved_ms = now_ms;
        read.must_rest = read.is_suspended && read.is_told_to_rest;
        board->has_changed = true;
    }
    if (is_other_report(&job->report, &read.report) || job->has_ended != read.has_ended)
        board->has_changed = true;
    *job = read;
    return STATUS_OK;
}

enum status share_board_on_pod(struct share_board *board, int64_t now_ms, size_t space,
                               struct slice uid, const cJSON *object, struct error *err)
{
    struct board_pod *pod;
    uint64_t node;
    void *item;

    if (!object) {
        pod = find(&board->pods, uid, sizeof *pod);
        board->has_changed = board->has_changed || (pod && pod->owner == 0);
        (void)drop(&board->pods, uid, sizeof *pod);
        return STATUS_OK;
    }
    TRY(take(&board->pods, uid, sizeof *pod, SHARE_BOARD_PODS, &item, err));
    pod = item;
    pod->space = space;
    node = pod->node;
    board_read_pod(object, now_ms, pod);
    if (pod->owner == 0 && (pod->node != node || pod->has_ended))
        board->has_changed = true; /* a service's */
    return STATUS_OK;
}

enum status share_board_on_node(struct share_board *board, struct slice uid, const cJSON *object,
                                struct error *err)
{
    struct board_node read, *node;
    void *item;

    memset(&read, 0, sizeof read);
    if (!object || !board_read_node(object, &read)) {
        board->has_changed = drop(&board->nodes, uid, sizeof *node) || board->has_changed;
        return STATUS_OK;
    }
    TRY(take(&board->nodes, uid, sizeof *node, SHARE_NODES_MAX, &item, err));
    node = item;
    if (node->name != read.name || node->is_closed != read.is_closed ||
        node->size.millis != read.size.millis || node->size.bytes != read.size.bytes)
        board->has_changed = true;
    memcpy(read.uid, node->uid, sizeof read.uid);
    *node = read;
    return STATUS_OK;
}

enum status share_board_on_quota(struct share_board *board, size_t space, struct slice uid,
                                 const cJSON *object, struct error *err)
{
    struct board_quota read, *quota;
    void *item;

    memset(&read, 0, sizeof read);
    if (!object || !board_read_quota(object, &read)) {
        board->has_changed = drop(&board->quotas, uid, sizeof *quota) || board->has_changed;
        return STATUS_OK;
    }
    TRY(take(&board->quotas, uid, sizeof *quota, SHARE_JOBS_MAX, &item, err));
    quota = item;
    if (memcmp(&quota->hard, &read.hard, sizeof read.hard) != 0)
        board->has_changed = true;
    memcpy(read.uid, quota->uid, sizeof read.uid);
    read.space = space;
    *quota = read;
    return STATUS_OK;
}

void share_board_take(struct share_board *board, int64_t now_ms, size_t space,
                      const struct share_decision *decision)
{
    for (uint32_t i = 0; i < board->jobs.count; i++) {
        struct board_job *job = &BOARD_JOBS(board)[i];
        const struct share_decided *decided =
            job->space == space ? share_decision_find(decision, job->uid) : NULL;

        if (!decided || job->is_decided)
            continue;
        job->is_decided = true;
        if (board->room.again_ms == 0) /* an earlier holder may have met a shortage */
            board->room.again_ms = now_ms;
        job->decided = decided->workers;
        job->moved_ms = now_ms - 1000 * (int64_t)decided->seconds;
    }
}
