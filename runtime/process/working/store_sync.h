/*
 * store_sync.h - brings what a parameter server writes into its store to the disk, on a thread
 * beside its loop, so that no worker waits for the disk.
 *
 *     commits --STORE_SYNC_BYTES, or a snapshot that is written--> thread: jobstore_sync
 *
 * Writers that can wait with their next write call store_sync_is_behind, and wait while the store
 * is far ahead of the disk: SQLite's log beside the store begins anew when all of it is in the
 * store, so it stays small. The log of steps cannot: when SQLite's log has become large it waits in
 * the loop, for the little that came while the thread was at it; or for more than that, where steps
 * come faster than the disk takes them. Where the thread cannot be started, or fails, the loop
 * syncs by itself.
 */
#pragma once

#include <limits.h>

#include "runtime/data/store/jobstore.h"
#include "runtime/loop/loop_task.h"

#define STORE_SYNC_BYTES    ((uint64_t)16 << 20)
#define STORE_SYNC_BEHIND   ((uint64_t)64 << 20)
#define STORE_SYNC_REST     ((uint64_t)4 << 20)   /* bytes that the loop may sync itself */
#define STORE_SYNC_LOG      ((uint64_t)128 << 20) /* when SQLite's log is so large; and anything */
#define STORE_SYNC_LOG_MOST ((uint64_t)512 << 20) /* when it is so large */

struct store_sync {
    struct loop *loop;      /* NULL: nothing is done here */
    struct jobstore *store; /* the writer's */
    char path[PATH_MAX];
    struct loop_task task;
    uint64_t written;   /* bytes that were committed, ever */
    uint64_t taken;     /* bytes written before the thread began */
    uint64_t synced;    /* bytes on the disk */
    uint64_t log_began; /* bytes written before SQLite's log began anew, at the latest */
    struct error why;   /* the thread's last failure */
    bool is_behind;
    bool has_failed; /* it is not tried again */
};

enum status store_sync_begin(struct store_sync *sync, struct loop *loop, struct jobstore *store,
                             const char *path, struct error *err);

/* So many bytes more are committed. */
void store_sync_note(struct store_sync *sync, uint64_t bytes);

/* SQLite's log had more than STORE_SYNC_BEHIND, and the disk has not caught up since. */
bool store_sync_is_behind(struct store_sync *sync);
/* Is what was written before `written` got this large on the disk? If not it will be. */
bool store_sync_has(struct store_sync *sync, uint64_t written);
/* Until it is not, the sync can't be freed: the process can only _exit. */
static inline bool store_sync_is_running(const struct store_sync *sync)
{
    return sync->task.is_running;
}
