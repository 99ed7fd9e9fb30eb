#include "launch/control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
                    "an answer that is none");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_travels_with_status_message_and_hint),
        cmocka_unit_test(an_answer_that_is_none_is_an_error),
        cmocka_unit_test(a_job_without_supervisor_is_not_found),
        cmocka_unit_test(the_sockets_of_another_user_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
