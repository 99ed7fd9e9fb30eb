#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/data/store/checkpoint.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/process/working/store_sync.h"

#define PIECE ((size_t)1 << 20)

struct stage {
    char folder[64], path[80], log[96];
    struct loop *loop;
    struct jobstore *store;
    struct store_sync sync;
    uint64_t pieces, wanted; /* pieces put; pieces that work puts while it may */
    char *piece;
};

static uint64_t size_of(const char *path)
{
    struct stat file;

    return stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
}

static void put_piece(struct stage *stage)
{
    struct error err;

    CHECK_OK(checkpoint_put_piece(stage->store, 1, stage->pieces++,
                                  (struct slice){stage->piece, PIECE}, &err));
    store_sync_note(&stage->sync, PIECE);
}

/* ---- a role that writes while it may, and ends when all is on the disk ---- */

static bool has_work(void *self)
{
    struct stage *stage = self;

    return stage->pieces < stage->wanted ? !store_sync_is_behind(&stage->sync)
                                         : store_sync_has(&stage->sync, stage->sync.written);
}

static void work(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct stage *stage = self;
    (void)now_ms;

    if (stage->pieces < stage->wanted)
        put_piece(stage);
    else
        outbox_end(outbox, STATUS_OK);
}

static void on_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    (void)self;
    (void)now_ms;
    (void)outbox;
}

static void begin(struct stage *stage, const char *synced)
{
    const struct role role = {
        .self = stage, .on_tick = on_tick, .has_work = has_work, .work = work};
    struct loop_role *added;
    struct error err;

    *stage = (struct stage){.folder = "/tmp/totrain-test.XXXXXX"};
    CHECK(mkdtemp(stage->folder));
    snprintf(stage->path, sizeof stage->path, "%s/job.db", stage->folder);
    snprintf(stage->log, sizeof stage->log, "%s-wal", stage->path);
    stage->piece = malloc(PIECE);
    CHECK(stage->piece != NULL);
    memset(stage->piece, 'p', PIECE);
    CHECK_OK(jobstore_create(stage->path, &stage->store, &err));
    CHECK_OK(loop_new(1000, &stage->loop, &err));
    CHECK_OK(loop_add_role(stage->loop, &role, NULL, NULL, 0, &added, &err));
    CHECK_OK(store_sync_begin(&stage->sync, stage->loop, stage->store,
                              synced ? synced : stage->path, &err));
}

static void run(struct stage *stage, uint64_t wanted)
{
    struct error err;

    stage->wanted = wanted;
    CHECK_OK(loop_run(stage->loop, &err));
    CHECK(!store_sync_is_running(&stage->sync));
}

static void end(struct stage *stage)
{
    loop_free(stage->loop);
    jobstore_close(stage->store);
    free(stage->piece);
    CHECK_INT(unlink(stage->path), 0);
    CHECK_INT(rmdir(stage->folder), 0);
}

/* ---- tests ---- */

static void a_thread_moves_what_is_written_into_the_store(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, NULL);
    while (stage.pieces < 15)
        put_piece(&stage);
    CHECK(!store_sync_is_running(&stage.sync));
    CHECK(size_of(stage.log) > 15 * PIECE); /* no commit has moved any of it */
    CHECK(size_of(stage.path) < PIECE);
    put_piece(&stage);
    CHECK(store_sync_is_running(&stage.sync));
    CHECK(!store_sync_has(&stage.sync, 16 * PIECE));
    run(&stage, 16);
    CHECK(size_of(stage.path) > 16 * PIECE);
    CHECK(store_sync_has(&stage.sync, 16 * PIECE));
    end(&stage);
}

static void what_has_to_be_there_is_not_waited_for_in_vain(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, NULL);
    put_piece(&stage);
    CHECK(!store_sync_has(&stage.sync, PIECE)); /* it is little, and begun all the same */
    CHECK(store_sync_is_running(&stage.sync));
    run(&stage, 1);
    CHECK(size_of(stage.path) > PIECE);
    end(&stage);
}

static void who_waits_while_the_disk_is_behind_keeps_the_log_small(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, NULL);
    run(&stage, 300);
    CHECK(size_of(stage.path) > 300 * PIECE);
    CHECK(size_of(stage.log) < 2 * STORE_SYNC_BEHIND);
    end(&stage);
}

static void the_loop_syncs_where_the_thread_cannot(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, "/nowhere/job.db");
    run(&stage, 80);
    CHECK(stage.sync.has_failed);
    CHECK(size_of(stage.path) > 64 * PIECE);
    end(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_moves_what_is_written_into_the_store),
        cmocka_unit_test(what_has_to_be_there_is_not_waited_for_in_vain),
        cmocka_unit_test(who_waits_while_the_disk_is_behind_keeps_the_log_small),
        cmocka_unit_test(the_loop_syncs_where_the_thread_cannot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
