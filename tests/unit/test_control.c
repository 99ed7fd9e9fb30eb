#include "runtime/launch/control.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tests/check.h"

static void an_answer_travels_with_status_message_and_hint(void **state)
{
    struct text reply;
    struct error said, err;
    (void)state;

    text_init(&reply, 4096);
    error_clear(&said);
    error_clear(&err);
    control_write_reply(&said, &reply);
    CHECK_SLICE(text_slice(&reply), "ok\n");
    CHECK_INT(control_read_reply(SLICE("ok"), &err), STATUS_OK);

    text_clear(&reply);
    fail(&said, STATUS_LIMIT, "no room for 9 workers");
    error_hint(&said, "Ask for fewer.");
    control_write_reply(&said, &reply);
    CHECK_INT(reply.data[reply.size - 1], '\n');
    CHECK_FAILS(control_read_reply((struct slice){reply.data, reply.size - 1}, &err), STATUS_LIMIT,
                "no room for 9 workers");
    CHECK(strcmp(err.hint, "Ask for fewer.") == 0);
    text_deinit(&reply);
}

static void an_answer_that_is_none_is_an_error(void **state)
{
    static const char *const answers[] = {"", "o", "okay", "no", "yes 1\tx\ty", "NO 3\tx"};
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        CHECK_FAILS(control_read_reply(slice_of(answers[i]), &err), STATUS_PROTOCOL,
                    "an invalid answer");
    CHECK_FAILS(control_read_reply(SLICE("no 0\twhat\t"), &err), STATUS_FAILED, "what");
    CHECK_FAILS(control_read_reply(SLICE("no 99999\twhat"), &err), STATUS_FAILED, "what");
    CHECK_FAILS(control_read_reply(SLICE("no x"), &err), STATUS_FAILED, "");
}

static void a_job_without_supervisor_is_not_found(void **state)
{
    char folder[] = "/tmp/totrain-control.XXXXXX";
    struct error err;
    (void)state;

    CHECK(mkdtemp(folder) != NULL);
    CHECK_FAILS(control_ask(folder, "scale 2\n", &err), STATUS_NOT_FOUND, "no supervisor");
    rmdir(folder);
}

static void the_sockets_of_another_user_are_left_alone(void **state)
{
    char folder[] = "/tmp/totrain-control.XXXXXX";
    char sockets[CONTROL_PATH_MAX], link[PATH_MAX];
    struct error err;
    (void)state;

    if (geteuid() != 0)
        skip(); /* only root can give a folder away */
    CHECK(mkdtemp(folder) != NULL);
    CHECK_OK(control_folder_create(folder, sockets, &err));
    CHECK(chown(sockets, 65534, 65534) == 0);
    CHECK_FAILS(control_ask(folder, "scale 2\n", &err), STATUS_PERMISSION, "another user's");
    CHECK(chown(sockets, 0, 0) == 0);
    control_folder_remove(folder);
    snprintf(link, sizeof link, "%s/control", folder);
    CHECK(access(link, F_OK) != 0);
    rmdir(folder);
}

/* `what`: 'd' its supervisor is dead, 'l' it listens, 'e' empty, 'f' a file where the socket is.
 * The descriptor of the listener, or -1. */
static int make_folder(const char *parent, const char *name, char what)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char path[80];
    int fd;

    snprintf(path, sizeof path, "%s/%s", parent, name);
    assert_int_equal(mkdir(path, 0700), 0);
    if (what == 'e')
        return -1;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/control", path);
    if (what == 'f') {
        fd = open(address.sun_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        close(fd);
        return -1;
    }
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    if (what == 'l') {
        assert_int_equal(listen(fd, 1), 0);
        return fd;
    }
    close(fd);
    return -1;
}

static bool is_there(const char *parent, const char *name)
{
    char path[80];

    snprintf(path, sizeof path, "%s/%s", parent, name);
    return access(path, F_OK) == 0;
}

static void folders_of_killed_jobs_are_removed_and_no_others(void **state)
{
    static const char *const kept[] = {"totrain.live00", "totrain.empty0", "totrain.file00",
                                       "totrain.toolong", "others.dead00"};
    char parent[] = "/tmp/totrain-sweep.XXXXXX", path[80];
    const int64_t now_s = (int64_t)time(NULL);
    int live;
    (void)state;

    assert_non_null(mkdtemp(parent));
    (void)make_folder(parent, "totrain.dead00", 'd');
    (void)make_folder(parent, "totrain.dead01", 'd');
    live = make_folder(parent, kept[0], 'l');
    (void)make_folder(parent, kept[1], 'e');
    (void)make_folder(parent, kept[2], 'f');
    (void)make_folder(parent, kept[3], 'd');
    (void)make_folder(parent, kept[4], 'd');
    CHECK_INT(control_folders_sweep(parent, now_s), 0); /* they may be about to listen */
    CHECK_INT(control_folders_sweep(parent, now_s + 600), 2);
    CHECK(!is_there(parent, "totrain.dead00") && !is_there(parent, "totrain.dead01"));
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        CHECK(is_there(parent, kept[i]));
    CHECK_INT(control_folders_sweep(parent, now_s + 86400), 1); /* none takes a day to be made */
    CHECK(!is_there(parent, kept[1]));
    close(live);
    CHECK_INT(control_folders_sweep(parent, now_s + 600), 1);
    CHECK_INT(control_folders_sweep("/tmp/no-such-folder", now_s), 0);
    CHECK_INT(control_folders_sweep(NULL, now_s), 0);
    for (size_t i = 2; i < sizeof kept / sizeof *kept; i++) {
        snprintf(path, sizeof path, "%s/%s/control", parent, kept[i]);
        unlink(path);
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
    assert_int_equal(rmdir(parent), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_travels_with_status_message_and_hint),
        cmocka_unit_test(an_answer_that_is_none_is_an_error),
        cmocka_unit_test(a_job_without_supervisor_is_not_found),
        cmocka_unit_test(the_sockets_of_another_user_are_left_alone),
        cmocka_unit_test(folders_of_killed_jobs_are_removed_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
