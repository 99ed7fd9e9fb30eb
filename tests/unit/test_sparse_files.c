/*
 * Sparse files have the bytes that somebody needs, when they are needed, each taken once; on a
 * volume that is too small they give back what nobody uses.
 */
#include "tests/check.h"

#include <errno.h>

#include "base/process/team.h"
#include "base/random.h"
#include "tests/unit/data_fixture.h"
#include "tests/unit/toy_origin.h"

#define MIB ((uint64_t)1 << 20)

/* ---- a volume that may be full ---- */

static _Atomic uint64_t volume_room = UINT64_MAX;
static char volume_path[64]; /* folder of the two files below it */

ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t offset);

static uint64_t volume_used(void)
{
    static const char *const names[] = {"train.spool", "train.1.spool"};
    uint64_t bytes = 0;

    for (int i = 0; i < 2; i++) {
        struct stat information;
        char path[256];

        snprintf(path, sizeof path, "%s/%s", volume_path, names[i]);
        if (stat(path, &information) == 0)
            bytes += (uint64_t)information.st_blocks * 512;
    }
    return bytes;
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t offset)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    ssize_t written = -1;

    pthread_mutex_lock(&lock);
    if (volume_room != UINT64_MAX && volume_used() + size > volume_room)
        errno = ENOSPC;
    else
        written = __real_pwrite(file, bytes, size, offset);
    pthread_mutex_unlock(&lock);
    return written;
}

/* ---- two files, and sparse ones beside them ---- */

struct copies {
    struct folder origin, folder;
    struct toy_origin toy;
    const struct spool_source *source;
};

/* The byte at an offset of a file. */
static uint8_t byte_at(uint32_t file, uint64_t offset)
{
    return (uint8_t)(random_bits(file, RANDOM_SAMPLE, 0, offset / 8) >> offset % 8 * 8);
}

static void make_file(struct copies *copies, uint32_t number, const char *name, uint64_t size)
{
    FILE *file = fopen(folder_file(&copies->origin, name), "w");

    CHECK(file != NULL);
    for (uint64_t at = 0; at < size; at += 8) {
        const uint64_t bits = random_bits(number, RANDOM_SAMPLE, 0, at / 8);

        CHECK(fwrite(&bits, 1, size - at < 8 ? (size_t)(size - at) : 8, file) > 0);
    }
    CHECK(fclose(file) == 0);
    toy_add(&copies->toy, copies->origin.path, name);
}

static void copies_open(struct copies *copies, uint64_t first, uint64_t second)
{
    *copies = (struct copies){.source = NULL};
    folder_open(&copies->origin);
    folder_open(&copies->folder);
    make_file(copies, 0, "train.spool", first);
    make_file(copies, 1, "train.1.spool", second);
    memcpy(volume_path, copies->folder.path, sizeof volume_path);
    copies->source = toy_open(&copies->toy, copies->folder.path);
}

static void copies_close(struct copies *copies)
{
    copies->source->close(copies->source->self);
    CHECK_INT(copies->toy.closes, 1);
    folder_close(&copies->origin);
    folder_close(&copies->folder);
    volume_room = UINT64_MAX;
}

static enum status need(const struct copies *copies, const struct spool_extent *extents,
                        size_t count, struct spool_need **out, struct error *err)
{
    return copies->source->need(copies->source->self, extents, count, out, err);
}

static void done_with(const struct copies *copies, struct spool_need *held)
{
    copies->source->done(copies->source->self, held);
}

/* In the copy. */
static void check_bytes(const struct copies *copies, const struct spool_extent *extent)
{
    uint8_t *bytes = malloc(extent->size);
    char path[256];
    int file;

    snprintf(path, sizeof path, "%s/%s", copies->folder.path, copies->toy.files[extent->file].name);
    file = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0 && bytes &&
          pread(file, bytes, extent->size, (off_t)extent->offset) == (ssize_t)extent->size);
    for (uint64_t i = 0; i < extent->size; i++)
        if (bytes[i] != byte_at(extent->file, extent->offset + i))
            check_failed("byte %llu of file %u differs", (unsigned long long)(extent->offset + i),
                         extent->file);
    free(bytes);
    close(file);
}

static void need_and_check(const struct copies *copies, const struct spool_extent *extents,
                           size_t count)
{
    struct spool_need *held;
    struct error err;

    CHECK_OK(need(copies, extents, count, &held, &err));
    for (size_t i = 0; i < count; i++)
        check_bytes(copies, &extents[i]);
    done_with(copies, held);
}

/* ---- tests ---- */

static void bytes_come_when_they_are_needed_and_once(void **state)
{
    const struct spool_extent some[] = {{1, 900, 100},  {0, 0, 128}, {0, 5000, 1}, {1, 1000, 7},
                                        {0, 128, 1000}, {1, 0, 0},   {0, 9999, 1}, {1, 999999, 1}};
    struct copies copies;
    (void)state;

    copies_open(&copies, 10000, 1000000);
    CHECK_INT(copies.toy.bytes, 0);
    need_and_check(&copies, some, sizeof some / sizeof *some);
    CHECK_INT(copies.toy.bytes, 100 + 128 + 1 + 7 + 1000 + 1 + 1);
    CHECK_INT(copies.toy.calls, 1);
    CHECK_INT(copies.toy.extents, 5); /* neighbours are one extent */
    need_and_check(&copies, some, sizeof some / sizeof *some);
    CHECK_INT(copies.toy.calls, 1);
    need_and_check(&copies, &(struct spool_extent){0, 0, 10000}, 1);
    CHECK_INT(copies.toy.bytes, 10000 + 100 + 7 + 1);
    copies_close(&copies);
}

static void an_answer_has_some_mib(void **state)
{
    struct copies copies;
    (void)state;

    copies_open(&copies, 9 * MIB + 5, 10);
    need_and_check(&copies, &(struct spool_extent){0, 3, 9 * MIB + 2}, 1);
    CHECK_INT(copies.toy.bytes, 9 * MIB + 2);
    CHECK_INT(copies.toy.calls, 5);
    copies_close(&copies);
}

static void what_no_file_has_is_refused(void **state)
{
    const struct spool_extent wrong[] = {{2, 0, 1}, {0, 101, 0}, {0, 99, 2}, {1, 5, UINT64_MAX}};
    struct spool_need *held;
    struct copies copies;
    struct error err;
    (void)state;

    copies_open(&copies, 100, 100);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(need(&copies, &wrong[i], 1, &held, &err), STATUS_CORRUPT, "no such bytes");
    CHECK_INT(copies.source->find(copies.source->self, "train.1.spool"), 1);
    CHECK_INT(copies.source->find(copies.source->self, "validation.spool"), SPOOL_SOURCE_NO_FILE);
    CHECK_INT(copies.toy.calls, 0);
    copies_close(&copies);
}

static void need_task(void *context, uint32_t member, uint32_t task)
{
    const struct copies *copies = context;
    const struct spool_extent extents[] = {{0, 0, 4 * MIB}, {1, 1000 * (task / 2), 1500}};
    (void)member;

    need_and_check(copies, extents, 2);
}

static void threads_that_need_the_same_take_it_once(void **state)
{
    struct team *team = team_new(8);
    struct copies copies;
    (void)state;

    copies_open(&copies, 4 * MIB, MIB);
    team_run(team, 32, need_task, &copies);
    CHECK_INT(copies.toy.bytes, 4 * MIB + 15000 + 1500);
    team_free(team);
    copies_close(&copies);
}

static void what_is_expected_is_on_its_way(void **state)
{
    const struct spool_extent later[] = {{0, 100, 5 * MIB}, {1, 0, 50}};
    struct copies copies;
    (void)state;

    copies_open(&copies, 8 * MIB, 100);
    copies.source->expect(copies.source->self, later, 2);
    copies.source->expect(copies.source->self, later, 2);
    TOY_WAIT_FOR(&copies.toy, copies.toy.bytes == 5 * MIB + 50);
    need_and_check(&copies, later, 2);
    need_and_check(&copies, &(struct spool_extent){0, 0, 200}, 1);
    CHECK_INT(copies.toy.bytes, 5 * MIB + 50 + 100);
    copies_close(&copies);
}

static void an_origin_that_fails_can_be_asked_again(void **state)
{
    const struct spool_extent all[] = {{0, 0, 5 * MIB}, {1, 0, 100}};
    struct spool_need *held;
    struct copies copies;
    struct error err;
    (void)state;

    copies_open(&copies, 5 * MIB, 100);
    copies.toy.extents_left = 1;
    CHECK_FAILS(need(&copies, all, 2, &held, &err), STATUS_CONNECTION, "the toy has had enough");
    CHECK(held == NULL);
    copies.toy.extents_left = -1;
    need_and_check(&copies, all, 2);
    copies_close(&copies);
}

/* A failure of what is only expected is nobody's, and who needs it asks for himself. */
static void what_could_not_be_brought_in_advance_is_asked_for_again(void **state)
{
    const struct spool_extent extent = {0, 10, 1000};
    struct copies copies;
    (void)state;

    copies_open(&copies, 2000, 100);
    copies.toy.extents_left = 0;
    copies.source->expect(copies.source->self, &extent, 1);
    TOY_WAIT_FOR(&copies.toy, copies.toy.calls == 1);
    copies.toy.extents_left = -1;
    need_and_check(&copies, &extent, 1);
    CHECK_INT(copies.toy.calls, 2);
    copies_close(&copies);
}

static void connections_rest_when_there_is_nothing_to_read(void **state)
{
    struct copies copies;
    (void)state;

    copies_open(&copies, 2000, 100);
    need_and_check(&copies, &(struct spool_extent){0, 0, 10}, 1);
    TOY_WAIT_FOR(&copies.toy, copies.toy.rests > 0);
    need_and_check(&copies, &(struct spool_extent){0, 0, 20}, 1);
    copies_close(&copies);
}

static void a_full_volume_gets_back_what_nobody_uses(void **state)
{
    const struct spool_extent head = {0, 0, 1000};
    struct spool_need *held[2];
    struct copies copies;
    struct error err;
    uint64_t before;
    (void)state;

    copies_open(&copies, 24 * MIB, 8 * MIB);
    volume_room = 8 * MIB;
    CHECK_OK(need(&copies, &head, 1, NULL, &err)); /* for ever */
    CHECK_OK(need(&copies, &(struct spool_extent){1, 5000, 100000}, 1, &held[0], &err));
    for (int round = 0; round < 3; round++)
        for (uint64_t at = 1000; at + MIB <= 24 * MIB; at += MIB)
            need_and_check(&copies, &(struct spool_extent){0, at, MIB}, 1);
    CHECK(volume_used() <= 8 * MIB);
    CHECK(copies.toy.bytes > 3 * 23 * MIB - 3 * 8 * MIB);
    check_bytes(&copies, &head);
    check_bytes(&copies, &(struct spool_extent){1, 5000, 100000});
    before = copies.toy.bytes;
    need_and_check(&copies, &head, 1);
    CHECK_INT(copies.toy.bytes, before);
    CHECK_FAILS(need(&copies, &(struct spool_extent){0, 2000, 9 * MIB}, 1, &held[1], &err),
                STATUS_LIMIT, "no room");
    need_and_check(&copies, &(struct spool_extent){0, 2000, 4 * MIB}, 1);
    done_with(&copies, held[0]);
    copies_close(&copies);
}

static void what_is_expected_makes_way_for_what_is_needed(void **state)
{
    struct copies copies;
    (void)state;

    copies_open(&copies, 24 * MIB, 8 * MIB);
    volume_room = 8 * MIB;
    for (uint64_t at = 0; at < 24 * MIB; at += 2 * MIB)
        copies.source->expect(copies.source->self, &(struct spool_extent){0, at, 2 * MIB}, 1);
    for (uint64_t at = 0; at < 24 * MIB; at += MIB)
        need_and_check(&copies, &(struct spool_extent){0, at, MIB}, 1);
    need_and_check(&copies, &(struct spool_extent){1, 0, 5 * MIB}, 1);
    copies_close(&copies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_when_they_are_needed_and_once),
        cmocka_unit_test(an_answer_has_some_mib),
        cmocka_unit_test(what_no_file_has_is_refused),
        cmocka_unit_test(threads_that_need_the_same_take_it_once),
        cmocka_unit_test(what_is_expected_is_on_its_way),
        cmocka_unit_test(an_origin_that_fails_can_be_asked_again),
        cmocka_unit_test(what_could_not_be_brought_in_advance_is_asked_for_again),
        cmocka_unit_test(connections_rest_when_there_is_nothing_to_read),
        cmocka_unit_test(a_full_volume_gets_back_what_nobody_uses),
        cmocka_unit_test(what_is_expected_makes_way_for_what_is_needed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
