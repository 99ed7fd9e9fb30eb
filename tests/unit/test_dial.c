#include "tests/check.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/event.h>

#include "runtime/net/dial.h"

#define FILLERS 4 /* one more than a queue of no length holds, and some */

struct outcome {
    bool is_done;
    int socket;
    struct error err;
};

/* A listener of which the queue is full: the kernel drops who else knocks, as a machine that is
 * gone does. */
struct silent {
    int listener, fillers[FILLERS];
    char address[64];
};

static void open_silent(struct silent *silent)
{
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof where;

    silent->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_INT(bind(silent->listener, (struct sockaddr *)&where, sizeof where), 0);
    CHECK_INT(listen(silent->listener, 0), 0);
    CHECK_INT(getsockname(silent->listener, (struct sockaddr *)&where, &size), 0);
    snprintf(silent->address, sizeof silent->address, "tcp:127.0.0.1:%d", ntohs(where.sin_port));
    for (int i = 0; i < FILLERS; i++) {
        silent->fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)connect(silent->fillers[i], (struct sockaddr *)&where, sizeof where);
    }
}

static void close_silent(struct silent *silent)
{
    for (int i = 0; i < FILLERS; i++)
        close(silent->fillers[i]);
    close(silent->listener);
}

static void on_done(void *context, int socket, const struct error *err)
{
    struct outcome *outcome = context;

    outcome->is_done = true;
    outcome->socket = socket;
    if (err)
        outcome->err = *err;
}

static void dial_until_done(const char *address, int answer_ms, struct outcome *outcome)
{
    struct event_base *base = event_base_new();
    struct dial *dial;
    struct error err;

    memset(outcome, 0, sizeof *outcome);
    CHECK_OK(
        dial_new(base, address, answer_ms, (struct dial_owner){outcome, on_done}, &dial, &err));
    while (!outcome->is_done)
        CHECK_INT(event_base_loop(base, EVLOOP_ONCE), 0);
    dial_free(dial);
    event_base_free(base);
}

/* The system itself would try for two minutes. */
static void an_address_that_does_not_answer_is_given_up(void **state)
{
    struct silent silent;
    struct outcome outcome;
    (void)state;

    open_silent(&silent);
    dial_until_done(silent.address, 20, &outcome);
    CHECK_INT(outcome.socket, -1);
    CHECK(strstr(outcome.err.message, "cannot connect to") != NULL);
    CHECK(strstr(outcome.err.message, "timed out") != NULL);
    close_silent(&silent);
}

static void one_that_answers_is_connected(void **state)
{
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof where;
    struct outcome outcome;
    char address[64];
    (void)state;

    CHECK_INT(bind(listener, (struct sockaddr *)&where, sizeof where), 0);
    CHECK_INT(listen(listener, 1), 0);
    CHECK_INT(getsockname(listener, (struct sockaddr *)&where, &size), 0);
    snprintf(address, sizeof address, "tcp:127.0.0.1:%d", ntohs(where.sin_port));
    dial_until_done(address, 60000, &outcome);
    CHECK(outcome.socket >= 0);
    close(outcome.socket);
    close(listener);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_that_does_not_answer_is_given_up),
        cmocka_unit_test(one_that_answers_is_connected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
