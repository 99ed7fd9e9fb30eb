#include "tests/check.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file_memory.h"

#define BYTES ((size_t)3 << 20)

static void it_is_zero_keeps_what_is_written_and_has_no_name(void **state)
{
    char folder[] = "/tmp/totrain-file-memory.XXXXXX";
    struct error err;
    void *memory;
    char *bytes;
    (void)state;

    assert_non_null(mkdtemp(folder));
    CHECK_OK(file_memory_new(folder, BYTES, &memory, &err));
    bytes = memory;
    for (size_t i = 0; i < BYTES; i++)
        CHECK(bytes[i] == 0);
    memset(bytes, 7, BYTES);
    CHECK(bytes[BYTES - 1] == 7);
    CHECK_INT(rmdir(folder), 0); /* nothing is in it */
    CHECK(bytes[BYTES / 2] == 7);
    file_memory_free(memory, BYTES);
    file_memory_free(NULL, BYTES);
}

static void no_room_is_an_error_at_once(void **state)
{
    const struct rlimit small = {.rlim_cur = BYTES - 1, .rlim_max = RLIM_INFINITY};
    struct rlimit before;
    struct error err;
    void *memory;
    (void)state;

    CHECK_FAILS(file_memory_new("/tmp/no/such/folder", BYTES, &memory, &err), STATUS_IO,
                "cannot make room for 3145728 bytes in /tmp/no/such/folder");
    CHECK(memory == NULL);
    signal(SIGXFSZ, SIG_IGN);
    CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
    CHECK_FAILS(file_memory_new("/tmp", BYTES, &memory, &err), STATUS_IO, "cannot make room");
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_zero_keeps_what_is_written_and_has_no_name),
        cmocka_unit_test(no_room_is_an_error_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
