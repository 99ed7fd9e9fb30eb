#include "runtime/process/working/store_sync.h"

#include <stdio.h>

#include "base/process/log.h"

/* ---- on the thread ---- */

static void run_sync(void *context)
{
    struct store_sync *sync = context;

    error_clear(&sync->why);
    (void)jobstore_sync(sync->path, &sync->why);
}

/* ---- on the loop ---- */

/* Bytes that may not be on the disk yet. */
static uint64_t rest_of(const struct store_sync *sync)
{
    return sync->written - sync->synced;
}

/* SQLite's log, at most: it begins anew with the commit before which nothing was left. */
static uint64_t log_of(const struct store_sync *sync)
{
    return sync->written - sync->log_began;
}

/* The loop does what the thread could not, and all that follows. */
static void sync_here(struct store_sync *sync)
{
    struct error err;

    error_clear(&err);
    if (jobstore_end_log(sync->store, &err) != STATUS_OK)
        log_warning("the store is not on the disk yet: %s", err.message);
    sync->synced = sync->written;
    sync->is_behind = false;
}

static void give_up(struct store_sync *sync, const struct error *why)
{
    log_warning("the store is brought to the disk by the loop: %s", why->message);
    sync->has_failed = true;
    sync_here(sync);
}

static void start_sync(struct store_sync *sync)
{
    struct error err;

    error_clear(&err);
    sync->taken = sync->written;
    if (loop_task_start(sync->loop, &sync->task, &err) != STATUS_OK)
        give_up(sync, &err);
}

/* A log that is large is to begin anew, which it can where all of it is in the store. */
static void on_synced(void *context)
{
    struct store_sync *sync = context;
    uint64_t rest;

    if (sync->why.status != STATUS_OK) {
        give_up(sync, &sync->why);
        return;
    }
    sync->synced = sync->taken;
    rest = rest_of(sync);
    if (rest == 0)
        sync->is_behind = false;
    else if (log_of(sync) >= STORE_SYNC_LOG_MOST ||
             (log_of(sync) >= STORE_SYNC_LOG && rest <= STORE_SYNC_REST))
        sync_here(sync);
    else if (rest >= STORE_SYNC_BYTES || sync->is_behind)
        start_sync(sync);
}

enum status store_sync_begin(struct store_sync *sync, struct loop *loop, struct jobstore *store,
                             const char *path, struct error *err)
{
    *sync = (struct store_sync){.loop = loop, .store = store};
    sync->task = (struct loop_task){.run = run_sync, .ended = on_synced, .context = sync};
    if (snprintf(sync->path, sizeof sync->path, "%s", path) >= (int)sizeof sync->path)
        return fail(err, STATUS_LIMIT, "the path %s is too long", path);
    return jobstore_leave_sync(store, err);
}

void store_sync_note(struct store_sync *sync, uint64_t bytes)
{
    if (!sync->loop)
        return;
    if (sync->synced == sync->written)
        sync->log_began = sync->written;
    sync->written += bytes;
    if (sync->task.is_running || rest_of(sync) < STORE_SYNC_BYTES)
        return;
    if (sync->has_failed)
        sync_here(sync);
    else
        start_sync(sync);
}

bool store_sync_is_behind(struct store_sync *sync)
{
    if (!sync->loop || sync->has_failed)
        return false;
    if (rest_of(sync) > 0 && log_of(sync) > STORE_SYNC_BEHIND) {
        sync->is_behind = true;
        if (!sync->task.is_running)
            start_sync(sync);
    }
    return sync->is_behind;
}

bool store_sync_has(struct store_sync *sync, uint64_t written)
{
    if (!sync->loop || sync->has_failed || sync->synced >= written)
        return true;
    if (!sync->task.is_running)
        start_sync(sync);
    return sync->synced >= written;
}
