#include "runtime/process/working/server_snapshots.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/ps/server/server_save.h"
#include "runtime/role/job.h"
#include "tests/check.h"

#define WORKER   7 /* its connection */
#define IDENTITY 11

static const struct row_table_options table = {
    .width = 1, .settings = {.optimizer = OPTIMIZER_SGD, .learning_rate = 1}};

/* ---- a job's folder, and processes of its server 3 ---- */

struct stage {
    struct job job;
    char store[PATH_MAX];
};

struct server {
    struct server_snapshots snapshots;
    struct server_role role;
    struct outbox outbox;
    uint32_t damaged; /* snapshots that were of no use */
};

static void stage_open(struct stage *stage)
{
    *stage = (struct stage){
        .job = {.folder = "/tmp/totrain-test.XXXXXX", .id = 17, .identity = IDENTITY}};
    CHECK(mkdtemp(stage->job.folder));
    snprintf(stage->store, sizeof stage->store, "%.100s/server-3/job.db", stage->job.folder);
}

static void stage_close(struct stage *stage)
{
    *strrchr(stage->store, '/') = '\0';
    CHECK_INT(rmdir(stage->store), 0);
    CHECK_INT(rmdir(stage->job.folder), 0);
}

static void remove_store(struct stage *stage)
{
    CHECK_INT(unlink(stage->store), 0);
    stage_close(stage);
}

static void init_role(struct server *server)
{
    const struct server_options options = {.job = 17,
                                           .identity = IDENTITY,
                                           .incarnation = server->snapshots.executor.incarnation,
                                           .server_count = 1,
                                           .master = "unix:m",
                                           .address = "unix:s",
                                           .tables = &table,
                                           .table_count = 1,
                                           .memory_limit = UINT64_MAX,
                                           .piece_bytes = 1024};
    struct error err;

    CHECK_OK(server_role_init(&server->role, &options, &err));
}

/* Restores the snapshot as server_process.c does. */
static void restore(struct server *server)
{
    bool is_last = false;
    struct error err;

    while (!is_last && server_snapshots_find(&server->snapshots)) {
        enum status status = STATUS_OK;

        while (status == STATUS_OK && !is_last)
            status = server_snapshots_read(&server->snapshots, &server->role, &is_last, &err);
        if (status == STATUS_OK)
            continue;
        server->damaged++;
        is_last = false;
        server_role_deinit(&server->role);
        init_role(server);
    }
}

static void begin(struct server *server, const struct stage *stage, uint32_t incarnation)
{
    struct error err;

    *server = (struct server){.damaged = 0};
    outbox_init(&server->outbox);
    CHECK_OK(server_snapshots_open(&server->snapshots, &stage->job, 3, incarnation, &err));
    init_role(server);
    restore(server);
    server_role_start(&server->role, 0, &server->outbox);
    outbox_clear(&server->outbox);
}

static void end(struct server *server)
{
    server_role_deinit(&server->role);
    outbox_deinit(&server->outbox);
    server_snapshots_close(&server->snapshots);
}

static void hear(struct server *server, struct message message)
{
    message.job = 17;
    server_role_on_message(&server->role, 0, WORKER, &message, &server->outbox);
    outbox_clear(&server->outbox);
}

#define BYTES(value) ((struct slice){(const char *)&(value), sizeof(value)})

/* The next batch of shard 0. */
static void push(struct server *server)
{
    const uint32_t count = 1, seen = 1;
    const uint64_t id = server->role.clock;
    const float gradient = 1;

    hear(server, (struct message){.type = MESSAGE_RESUME});
    hear(server, (struct message){.type = MESSAGE_PULL,
                                  .pull = {.counts = BYTES(count), .ids = BYTES(id)}});
    hear(server, (struct message){.type = MESSAGE_PUSH,
                                  .push = {.batch = (uint32_t)server->role.clock,
                                           .counts = BYTES(count),
                                           .ids = BYTES(id),
                                           .seen = BYTES(seen),
                                           .gradient = BYTES(gradient)}});
    CHECK_INT(server->role.clock, id + 1);
}

static enum status save(struct server *server, struct error *err)
{
    enum status status = STATUS_OK;

    server_save_begin(&server->role, 0);
    CHECK(server_save_has_work(&server->role));
    while (server_save_has_work(&server->role)) {
        server_save_work(&server->role, 0, &server->outbox);
        if (status == STATUS_OK)
            status = outbox_executor_perform(&server->snapshots.executor, &server->outbox, err);
        outbox_clear(&server->outbox);
    }
    return status;
}

/* Batches 1, 2 and 3, of which 1 and 2 are saved. */
static void make_two(const struct stage *stage)
{
    struct server server;
    struct error err;

    begin(&server, stage, 0);
    push(&server);
    CHECK_OK(save(&server, &err));
    push(&server);
    CHECK_OK(save(&server, &err));
    push(&server);
    end(&server);
}

static void meddle(const struct stage *stage, const char *sql)
{
    sqlite3 *database;

    CHECK(sqlite3_open(stage->store, &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK);
    CHECK(sqlite3_changes(database) > 0);
    sqlite3_close(database);
}

static void check_next(const struct stage *stage, uint64_t batches, uint32_t damaged)
{
    struct server server;

    begin(&server, stage, 0);
    CHECK_INT(server.role.clock, batches);
    CHECK_INT(shard_counts_of(&server.role.shards, 0), batches);
    CHECK_INT(server.damaged, damaged);
    end(&server);
}

/* ---- tests ---- */

static void a_server_goes_on_from_its_newest_snapshot(void **state)
{
    struct stage stage;
    struct server server;
    struct stat folder;
    struct error err;
    (void)state;

    stage_open(&stage);
    make_two(&stage);
    begin(&server, &stage, 0);
    CHECK_INT(server.role.options.incarnation, 1); /* which is the claim's */
    CHECK_INT(server.role.clock, 2);
    push(&server);
    CHECK_OK(save(&server, &err));
    end(&server);
    begin(&server, &stage, 7);
    CHECK_INT(server.role.options.incarnation, 7);
    CHECK_INT(server.role.clock, 3);
    end(&server);
    snprintf(stage.job.folder + strlen(stage.job.folder), 16, "/server-3");
    CHECK_INT(stat(stage.job.folder, &folder), 0);
    CHECK_INT(folder.st_mode & 0777, 0700);
    *strrchr(stage.job.folder, '/') = '\0';
    remove_store(&stage);
}

static void a_damaged_snapshot_gives_way_to_the_one_before(void **state)
{
    struct stage stage;
    (void)state;

    stage_open(&stage);
    make_two(&stage);
    meddle(&stage, "UPDATE checkpoint_pieces SET bytes = zeroblob(length(bytes)) WHERE position = 2"
                   " AND checkpoint = (SELECT max(id) FROM checkpoint)");
    check_next(&stage, 1, 1);
    check_next(&stage, 1, 0); /* the damaged one is gone */
    remove_store(&stage);
}

static void without_a_snapshot_that_is_whole_a_server_begins_empty(void **state)
{
    struct stage stage;
    (void)state;

    stage_open(&stage);
    make_two(&stage);
    meddle(&stage,
           "UPDATE checkpoint_pieces SET bytes = zeroblob(length(bytes)) WHERE position = 2");
    check_next(&stage, 0, 2);
    make_two(&stage);
    check_next(&stage, 2, 0);
    meddle(&stage, "UPDATE checkpoint SET hash = hash + 1");
    check_next(&stage, 0, 0);
    make_two(&stage);
    stage.job.identity++; /* other rows */
    check_next(&stage, 0, 0);
    remove_store(&stage);
}

static void a_store_that_is_none_is_made_anew(void **state)
{
    static const char garbage[4096] = "no store";
    struct stage stage;
    int file;
    (void)state;

    stage_open(&stage);
    make_two(&stage);
    file = open(stage.store, O_WRONLY | O_CLOEXEC);
    CHECK(file >= 0 && write(file, garbage, sizeof garbage) == sizeof garbage);
    close(file);
    check_next(&stage, 0, 0);
    make_two(&stage);
    check_next(&stage, 2, 0);
    remove_store(&stage);
}

static void an_older_process_of_the_index_stores_nothing_any_more(void **state)
{
    struct stage stage;
    struct server frozen, next;
    struct error err;
    (void)state;

    stage_open(&stage);
    begin(&frozen, &stage, 0);
    push(&frozen);
    CHECK_OK(save(&frozen, &err));
    push(&frozen);
    begin(&next, &stage, 1);
    CHECK_INT(next.role.clock, 1);
    CHECK(outbox_executor_check_claim(&frozen.snapshots.executor, &err) == STATUS_STALE);
    CHECK(save(&frozen, &err) == STATUS_STALE);
    end(&frozen);
    push(&next);
    push(&next);
    CHECK_OK(save(&next, &err));
    end(&next);
    check_next(&stage, 3, 0);
    remove_store(&stage);
}

/* ---- beside a loop ---- */

static bool may_work(void *self)
{
    struct server *server = self;

    return server_save_has_work(&server->role) &&
           server_snapshots_may_go_on(&server->snapshots, &server->role);
}

static void work(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct server *server = self;

    server_save_work(&server->role, now_ms, outbox);
    if (!server_save_has_work(&server->role))
        outbox_end(outbox, STATUS_OK);
}

static void on_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    (void)self;
    (void)now_ms;
    (void)outbox;
}

static void a_snapshot_ends_when_its_pieces_are_on_the_disk(void **state)
{
    struct stage stage;
    struct server server;
    struct checkpoint head;
    struct role role = {.self = &server,
                        .on_tick = on_tick,
                        .has_work = may_work,
                        .work = work,
                        .perform = server_snapshots_perform,
                        .context = &server.snapshots};
    struct loop_role *added;
    struct loop *loop;
    struct error err;
    (void)state;

    stage_open(&stage);
    begin(&server, &stage, 0);
    CHECK_OK(loop_new(1000, &loop, &err));
    CHECK_OK(loop_add_role(loop, &role, NULL, NULL, 0, &added, &err));
    CHECK_OK(server_snapshots_sync_beside(&server.snapshots, loop, &err));
    push(&server);
    server_save_begin(&server.role, 0);
    while (!server_save_is_finishing(&server.role)) {
        CHECK(may_work(&server));
        work(&server, 0, &server.outbox);
        CHECK_OK(server_snapshots_perform(&server.snapshots, &server.outbox, &err));
        outbox_clear(&server.outbox);
    }
    CHECK(!may_work(&server));
    CHECK(server_snapshots_is_syncing(&server.snapshots));
    CHECK(checkpoint_peek(server.snapshots.executor.store, &head, &err) == STATUS_NOT_FOUND);
    CHECK_OK(loop_run(loop, &err)); /* the thread has woken it */
    CHECK_OK(checkpoint_peek(server.snapshots.executor.store, &head, &err));
    CHECK(!server_snapshots_is_syncing(&server.snapshots));
    loop_free(loop);
    end(&server);
    check_next(&stage, 1, 0);
    remove_store(&stage);
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
    struct server_snapshots snapshots;
    struct job job = {.folder = "/nowhere/17"};
    struct error err;
    (void)state;

    error_clear(&err);
    CHECK_FAILS(server_snapshots_open(&snapshots, &job, 3, 0, &err), STATUS_IO,
                "cannot make the folder /nowhere/17/server-3");
    server_snapshots_close(&snapshots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_goes_on_from_its_newest_snapshot),
        cmocka_unit_test(a_damaged_snapshot_gives_way_to_the_one_before),
        cmocka_unit_test(without_a_snapshot_that_is_whole_a_server_begins_empty),
        cmocka_unit_test(a_store_that_is_none_is_made_anew),
        cmocka_unit_test(an_older_process_of_the_index_stores_nothing_any_more),
        cmocka_unit_test(a_snapshot_ends_when_its_pieces_are_on_the_disk),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
