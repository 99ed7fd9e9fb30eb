#include "runtime/process/working/server_snapshots.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process/log.h"
#include "runtime/data/pgstore/pgstore.h"
#include "runtime/data/store/step_log.h"
#include "runtime/launch/job_folder.h"
#include "runtime/process/role/roles.h"
#include "runtime/ps/server/server_replay.h"
#include "runtime/ps/server/server_save.h"
#include "runtime/ps/worker/shard_plan.h"
#include "runtime/role/job.h"

#define SNAPSHOTS          2    /* a store's */
#define TABLES_PATIENCE_MS 1500 /* a snapshot that takes longer is given up */

/* It reports nothing: its master does. */
static void say_nothing(void *context, const struct job_event *event, struct slice line)
{
    (void)context;
    (void)event;
    (void)line;
}

static enum status make_folder(const struct job *job, uint32_t index, char path[PATH_MAX],
                               struct error *err)
{
    if (snprintf(path, PATH_MAX, "%s/" JOB_SERVER_PREFIX "%" PRIu32, job->folder, index) >=
        PATH_MAX)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", job->folder);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return fail_errno(err, STATUS_IO, "cannot make the folder %s", path);
    return STATUS_OK;
}

static void remove_store(const char *folder)
{
    static const char *const names[] = {"job.db", "job.db-wal", "job.db-shm"};
    char path[PATH_MAX + 16];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)unlink(path);
    }
}

/* Over a connection of its own: another thread fetches the rows. */
static enum status open_tables(struct server_snapshots *snapshots, uint32_t index,
                               struct error *err)
{
    const struct job *job = snapshots->job;
    const struct role_options *options = job->options;

    TRY(pgstore_open_server(options->database, options->schema ? options->schema : PGSTORE_SCHEMA,
                            job->id, index, &snapshots->tables, err));
    snapshots->executor.journal = pgstore_journal(snapshots->tables);
    return STATUS_OK;
}

enum status server_snapshots_open(struct server_snapshots *snapshots, const struct job *job,
                                  uint32_t index, uint32_t incarnation, struct error *err)
{
    struct outbox_executor *executor = &snapshots->executor;
    char folder[PATH_MAX];
    struct error why;
    enum status status;

    *snapshots = (struct server_snapshots){
        .job = job,
        .index = index,
        .executor = {.leaves_room = true, .role = "server", .index = index, .say = say_nothing}};
    text_init(&snapshots->piece, TEXT_MAXIMUM);
    TRY(make_folder(job, index, folder, err));
    if (job->tables)
        TRY(open_tables(snapshots, index, err));
    error_clear(&why);
    status = outbox_executor_open(executor, folder, incarnation, &why);
    if (status == STATUS_CORRUPT) {
        log_warning("the server's store is made anew: %s", why.message);
        outbox_executor_close(executor);
        remove_store(folder);
        error_clear(&why);
        status = outbox_executor_open(executor, folder, incarnation, &why);
    }
    if (snapshots->tables) /* its workers and its master wait for it */
        pgstore_hurry(snapshots->tables, TABLES_PATIENCE_MS);
    executor->logs_steps = shard_plan_lanes(&job->spec) > 0;
    if (status == STATUS_OK && executor->logs_steps)
        status = step_log_begin(executor->store, &why);
    if (status != STATUS_OK && err)
        *err = why;
    return status;
}

enum status server_snapshots_sync_beside(struct server_snapshots *snapshots, struct loop *loop,
                                         struct error *err)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/" JOB_SERVER_PREFIX "%" PRIu32 "/job.db",
                 snapshots->job->folder, snapshots->index) >= (int)sizeof path)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", snapshots->job->folder);
    return store_sync_begin(&snapshots->sync, loop, snapshots->executor.store, path, err);
}

enum status server_snapshots_perform(void *self, const struct outbox *outbox, struct error *err)
{
    struct server_snapshots *snapshots = self;
    uint64_t bytes = 0;
    bool has_pieces = false;

    TRY(outbox_executor_perform(&snapshots->executor, outbox, err));
    for (size_t i = 0; i < outbox->count; i++) {
        const struct outbox_entry *entry = outbox->entries + i;
        const bool is_piece = entry->kind == OUTBOX_PIECE;

        has_pieces |= is_piece;
        if (is_piece || entry->kind == OUTBOX_LOG)
            bytes += outbox_bytes(outbox, entry).size;
    }
    if (bytes > 0)
        store_sync_note(&snapshots->sync, bytes);
    if (has_pieces)
        snapshots->pieces_end = snapshots->sync.written;
    return STATUS_OK;
}

bool server_snapshots_may_go_on(struct server_snapshots *snapshots, const struct server_role *role)
{
    if (server_save_is_finishing(role))
        return store_sync_has(&snapshots->sync, snapshots->pieces_end);
    return !store_sync_is_behind(&snapshots->sync);
}

void server_snapshots_close(struct server_snapshots *snapshots)
{
    outbox_executor_close(&snapshots->executor);
    pgstore_close(snapshots->tables);
    text_deinit(&snapshots->piece);
}

/* Removes the snapshots that were found damaged: the next one must not push out the good one. The
 * log of steps begins behind a snapshot, so without one it goes too. */
static void remove_damaged(const struct server_snapshots *snapshots, bool has_found)
{
    struct jobstore *store = snapshots->executor.store;
    struct error why;

    error_clear(&why);
    if ((has_found ? checkpoint_keep(store, snapshots->found.id, &why)
                   : checkpoint_drop(store, &why)) != STATUS_OK)
        log_warning("a damaged snapshot: %s", why.message);
}

bool server_snapshots_find(struct server_snapshots *snapshots)
{
    struct jobstore *store = snapshots->executor.store;
    const struct job *job = snapshots->job;
    bool has_found = false, has_damaged = snapshots->tried > 0;
    struct error why;

    snapshots->position = 0;
    while (!has_found && snapshots->tried < SNAPSHOTS) {
        error_clear(&why);
        has_found = (snapshots->tried++ == 0 ? checkpoint_open : checkpoint_open_older)(
                        store, job->id, job->identity, &snapshots->found, &why) == STATUS_OK;
        if (!has_found && why.status != STATUS_NOT_FOUND) {
            log_warning("a snapshot is passed over: %s", why.message);
            has_damaged = true;
        }
    }
    if (has_damaged)
        remove_damaged(snapshots, has_found);
    return has_found;
}

static enum status read_piece(struct server_snapshots *snapshots, struct server_role *role,
                              bool *is_last, struct error *err)
{
    struct text *piece = &snapshots->piece;

    text_clear(piece);
    TRY(checkpoint_read_piece(snapshots->executor.store, &snapshots->found, snapshots->position,
                              piece, err));
    *is_last = ++snapshots->position == checkpoint_pieces(&snapshots->found);
    return server_save_restore(role, text_slice(piece), *is_last, err);
}

enum status server_snapshots_read(struct server_snapshots *snapshots, struct server_role *role,
                                  bool *is_last, struct error *err)
{
    const enum status status = read_piece(snapshots, role, is_last, err);

    if (status != STATUS_OK)
        log_warning("a snapshot is not used: %s", err->message);
    return status;
}

enum status server_snapshots_read_log(struct server_snapshots *snapshots, struct server_role *role,
                                      struct error *err)
{
    struct slice entry;
    enum status status;

    if (!snapshots->executor.logs_steps)
        return STATUS_NOT_FOUND;
    text_clear(&snapshots->piece);
    status =
        step_log_read(snapshots->executor.store, server_replay_wants(role), &snapshots->piece, err);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        log_warning("the log of steps is not read further: %s", err->message);
    entry = text_slice(&snapshots->piece);
    error_clear(err);
    status = server_replay_entry(role, status == STATUS_OK ? &entry : NULL, err);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        log_warning("the log of steps is not used further: %s", err->message);
    return status;
}
