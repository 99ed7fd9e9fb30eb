#include "k8s/client/exec_plugin.h"

#include <stdlib.h>

#include "tests/check.h"

#define CREDENTIAL                                                                                 \
    "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\","

struct fixture {
    struct arena arena;
    struct slice arguments[2];
    struct access_exec exec;
    struct kube_access access;
    int64_t expires_at_s;
};

/* A program is a script here, since that is what a test can write in a line;
 * it is the test that starts the shell. */
static enum status run(struct fixture *f, const char *script, int timeout_ms, struct error *err)
{
    static const struct slice variables[] = {{"REGION=here", 11}};

    memset(f, 0, sizeof *f);
    arena_init(&f->arena, ARENA_MAXIMUM);
    error_clear(err);
    f->arguments[0] = SLICE("-c");
    f->arguments[1] = slice_of(script);
    f->exec = (struct access_exec){.command = SLICE("sh"),
                                   .version = SLICE("client.authentication.k8s.io/v1"),
                                   .arguments = f->arguments,
                                   .argument_count = 2,
                                   .variables = variables,
                                   .variable_count = 1};
    f->access.exec = &f->exec;
    return exec_plugin_run(&f->access, timeout_ms, &f->arena, &f->expires_at_s, err);
}

static void a_token_and_its_end_come_from_the_program(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    CHECK_OK(run(&f,
                 "printf '" CREDENTIAL "\"status\":{\"token\":\"%s-token\","
                 "\"expirationTimestamp\":\"2026-11-21T23:20:00Z\"}}' $REGION",
                 EXEC_PLUGIN_MS_MAX, &err));
    CHECK_SLICE(f.access.token, "here-token");
    CHECK_INT(f.expires_at_s, 1795303200);
    arena_deinit(&f.arena);
}

static void the_program_is_told_the_version_and_cannot_ask(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    CHECK_OK(run(&f,
                 "test \"$(cat | wc -c)\" = 0 || exit 3; case $KUBERNETES_EXEC_INFO in "
                 "*'\"interactive\":false'*) ;; *) exit 4;; esac; "
                 "echo '" CREDENTIAL "\"status\":{\"token\":\"t\"}}'",
                 EXEC_PLUGIN_MS_MAX, &err));
    CHECK(f.expires_at_s == EXEC_NEVER_EXPIRES);
    arena_deinit(&f.arena);
}

static void a_client_certificate_comes_with_its_key(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    CHECK_OK(run(&f,
                 "echo '" CREDENTIAL "\"status\":{\"clientCertificateData\":\"-----BEGIN C\","
                 "\"clientKeyData\":\"-----BEGIN K\"}}'",
                 EXEC_PLUGIN_MS_MAX, &err));
    CHECK_SLICE(f.access.certificate, "-----BEGIN C");
    CHECK_SLICE(f.access.key, "-----BEGIN K");
    arena_deinit(&f.arena);
    CHECK_FAILS(run(&f, "echo '" CREDENTIAL "\"status\":{\"clientKeyData\":\"-----BEGIN K\"}}'",
                    EXEC_PLUGIN_MS_MAX, &err),
                STATUS_PROTOCOL, "come together");
    arena_deinit(&f.arena);
}

static void a_descendant_that_holds_the_output_is_not_waited_for(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    /* The child has the output open, and ends with the shell. */
    CHECK_OK(run(&f,
                 "echo '" CREDENTIAL "\"status\":{\"token\":\"t\"}}'; "
                 "timeout 100 tail -f --pid=$$ /dev/null & exit 0",
                 EXEC_PLUGIN_MS_MAX, &err));
    arena_deinit(&f.arena);
}

static const struct {
    const char *script;
    int timeout_ms;
    enum status status;
    const char *problem;
} wrong[] = {
    {"exit 7", EXEC_PLUGIN_MS_MAX, STATUS_FAILED, "sh failed with exit code 7"},
    {"kill -9 $$", EXEC_PLUGIN_MS_MAX, STATUS_FAILED, "sh was ended by signal 9"},
    {"exec tail -f /dev/null", 50, STATUS_FAILED, "sh gave no credentials in 50 ms"},
    {"exec cat /dev/zero", EXEC_PLUGIN_MS_MAX, STATUS_LIMIT, "printed more than"},
    {"echo secret-token", EXEC_PLUGIN_MS_MAX, STATUS_PROTOCOL, "printed no credentials: no JSON"},
    {"echo '{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}'", EXEC_PLUGIN_MS_MAX, STATUS_PROTOCOL,
     "expected an ExecCredential"},
    {"echo '" CREDENTIAL "\"status\":{}}'", EXEC_PLUGIN_MS_MAX, STATUS_PROTOCOL, "neither a token"},
    {"echo '" CREDENTIAL "\"status\":{\"token\":\"a b\"}}'", EXEC_PLUGIN_MS_MAX, STATUS_PROTOCOL,
     "visible ASCII"},
    {"echo '" CREDENTIAL "\"status\":{\"token\":\"t\",\"expirationTimestamp\":\"soon\"}}'",
     EXEC_PLUGIN_MS_MAX, STATUS_PROTOCOL, "expirationTimestamp is no time"},
};

static void whatever_else_it_does_is_an_error_that_quotes_nothing(void **state)
{
    struct fixture f;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_FAILS(run(&f, wrong[i].script, wrong[i].timeout_ms, &err), wrong[i].status,
                    wrong[i].problem);
        CHECK(!strstr(err.message, "secret"));
        arena_deinit(&f.arena);
    }
}

static void a_program_that_is_not_there_comes_with_the_hint(void **state)
{
    struct fixture f = {.exec = {.command = SLICE("/nowhere/get-token"),
                                 .version = SLICE("client.authentication.k8s.io/v1"),
                                 .hint = SLICE("Install it.")}};
    struct error err;
    (void)state;

    arena_init(&f.arena, ARENA_MAXIMUM);
    f.access.exec = &f.exec;
    CHECK_FAILS(exec_plugin_run(&f.access, EXEC_PLUGIN_MS_MAX, &f.arena, &f.expires_at_s, &err),
                STATUS_IO, "cannot start /nowhere/get-token");
    CHECK(strcmp(err.hint, "Install it.") == 0);
    arena_deinit(&f.arena);
}

static void times_are_read_in_every_zone(void **state)
{
    int64_t seconds;
    (void)state;

    CHECK(exec_plugin_time(SLICE("1970-01-01T00:00:10.5Z"), &seconds) && seconds == 10);
    CHECK(exec_plugin_time(SLICE("1970-01-01T01:30:00+01:30"), &seconds) && seconds == 0);
    CHECK(exec_plugin_time(SLICE("1970-01-01T00:00:00-00:01"), &seconds) && seconds == 60);
    CHECK(!exec_plugin_time(SLICE("1970-01-01"), &seconds));
    CHECK(!exec_plugin_time(SLICE("1970-01-01T00:00:00"), &seconds));
    CHECK(!exec_plugin_time(SLICE("1970-01-01T00:00:00Zulu"), &seconds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_and_its_end_come_from_the_program),
        cmocka_unit_test(the_program_is_told_the_version_and_cannot_ask),
        cmocka_unit_test(a_client_certificate_comes_with_its_key),
        cmocka_unit_test(a_descendant_that_holds_the_output_is_not_waited_for),
        cmocka_unit_test(whatever_else_it_does_is_an_error_that_quotes_nothing),
        cmocka_unit_test(a_program_that_is_not_there_comes_with_the_hint),
        cmocka_unit_test(times_are_read_in_every_zone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
