/*
 * Two roles that count to each other, over every kind of connection.
 */
#include "tests/check.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/loop.h"

#define ROUNDS 100

struct counter {
    uint64_t heard, lost, lines;
    peer_id peer;
    bool leaves; /* closes after the last round; the other then ends the loop */
    struct slice last_line;
    char line[64];
};

static void reply(peer_id peer, uint64_t phase, struct outbox *outbox)
{
    struct message message = {.type = MESSAGE_HEARTBEAT, .job = 1, .phase = phase};

    outbox_send(outbox, peer, &message);
}

static void on_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox)
{
    struct counter *counter = self;
    (void)now_ms;

    counter->heard++;
    if (message->phase < ROUNDS)
        reply(from, message->phase + 1, outbox);
    else
        outbox_close(outbox, from);
}

static void on_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct counter *counter = self;
    (void)now_ms;
    (void)peer;

    counter->lost++;
    outbox_end(outbox, STATUS_OK);
}

static void on_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    (void)self;
    (void)now_ms;
    (void)outbox;
}

static struct role role_of(struct counter *counter)
{
    return (struct role){.self = counter,
                         .on_message = on_message,
                         .on_disconnect = on_disconnect,
                         .on_tick = on_tick};
}

static void count_over(const char *address)
{
    struct counter left = {.heard = 0}, right = {.heard = 0};
    struct role role;
    struct loop_role *one, *other;
    struct loop *loop;
    char bound[MESSAGE_ADDRESS_MAX + 1];
    struct error err;

    snprintf(bound, sizeof bound, "%s", address);
    CHECK_OK(loop_new(20, &loop, &err));
    role = role_of(&left);
    CHECK_OK(loop_add_role(loop, &role, address, bound, sizeof bound, &one, &err));
    role = role_of(&right);
    CHECK_OK(loop_add_role(loop, &role, NULL, NULL, 0, &other, &err));
    outbox_connect(loop_outbox(other), PEER_FIRST_ASKED, slice_of(bound));
    reply(PEER_FIRST_ASKED, 1, loop_outbox(other));
    loop_flush(other);
    CHECK_OK(loop_run(loop, &err));
    CHECK_INT(left.heard + right.heard, ROUNDS);
    CHECK_INT(left.lost + right.lost, 1);
    loop_free(loop);
}

static void roles_in_one_process_need_no_socket(void **state)
{
    (void)state;
    count_over(LOOP_LOCAL "one");
}

static void roles_talk_over_tcp(void **state)
{
    (void)state;
    count_over("tcp:127.0.0.1:0");
}

static void roles_talk_over_unix_sockets(void **state)
{
    char folder[] = "/tmp/totrain-test.XXXXXX", address[64];
    (void)state;

    assert_non_null(mkdtemp(folder));
    snprintf(address, sizeof address, "unix:%s/s", folder);
    count_over(address);
    unlink(address + 5);
    rmdir(folder);
}

static void a_connection_that_fails_is_reported_from_the_loop(void **state)
{
    static const char *const nobody[] = {"unix:/nonexistent/socket", LOOP_LOCAL "nobody"};
    (void)state;

    for (int i = 0; i < 2; i++) {
        struct counter counter = {.heard = 0};
        struct role role = role_of(&counter);
        struct loop_role *one;
        struct loop *loop;
        struct error err;

        CHECK_OK(loop_new(20, &loop, &err));
        CHECK_OK(loop_add_role(loop, &role, NULL, NULL, 0, &one, &err));
        outbox_connect(loop_outbox(one), PEER_FIRST_ASKED, slice_of(nobody[i]));
        reply(PEER_FIRST_ASKED, 1, loop_outbox(one));
        loop_flush(one);
        CHECK_INT(counter.lost, 0);
        CHECK_OK(loop_run(loop, &err));
        CHECK_INT(counter.lost, 1);
        loop_free(loop);
    }
}

static enum status refuse(void *context, const struct outbox *outbox, struct error *err)
{
    (void)context;
    (void)outbox;
    return fail(err, STATUS_IO, "the disk is full");
}

static void what_cannot_be_stored_is_told_to_nobody(void **state)
{
    struct counter left = {.heard = 0}, right = {.heard = 0};
    struct role role = role_of(&left);
    struct loop_role *one, *other;
    struct loop *loop;
    struct error err;
    (void)state;

    CHECK_OK(loop_new(20, &loop, &err));
    CHECK_OK(loop_add_role(loop, &role, LOOP_LOCAL "one", NULL, 0, &one, &err));
    role = role_of(&right);
    role.perform = refuse;
    CHECK_OK(loop_add_role(loop, &role, NULL, NULL, 0, &other, &err));
    outbox_connect(loop_outbox(other), PEER_FIRST_ASKED, SLICE(LOOP_LOCAL "one"));
    reply(PEER_FIRST_ASKED, 1, loop_outbox(other));
    outbox_put(loop_outbox(other), OUTBOX_EVENT, "row", 3);
    loop_flush(other);
    CHECK_FAILS(loop_run(loop, &err), STATUS_IO, "the disk is full");
    CHECK_INT(left.heard, 0);
    loop_free(loop);
}

static void on_line(void *context, struct slice line)
{
    struct counter *counter = context;

    counter->lines++;
    snprintf(counter->line, sizeof counter->line, "%.*s", SLICE_FORMAT(line));
}

struct ending {
    struct loop *loop;
    struct counter *counter;
};

static void on_line_ending(void *context, struct slice line)
{
    on_line(((struct ending *)context)->counter, line);
}

static void on_end(void *context)
{
    loop_stop(((struct ending *)context)->loop, STATUS_OK, NULL);
}

static void lines_arrive_whole_and_the_end_once(void **state)
{
    struct counter counter = {.heard = 0};
    struct ending ending;
    struct line_reader reader = {.context = &ending, .on_line = on_line_ending, .on_end = on_end};
    struct loop *loop;
    struct error err;
    int pair[2];
    (void)state;

    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    CHECK_OK(loop_new(20, &loop, &err));
    ending = (struct ending){loop, &counter};
    CHECK_OK(loop_read_lines(loop, pair[0], reader, NULL, &err));
    CHECK_INT(write(pair[1], "first\nsec", 9), 9);
    CHECK_INT(write(pair[1], "ond\nnot a line", 14), 14);
    close(pair[1]);
    CHECK_OK(loop_run(loop, &err));
    CHECK_INT(counter.lines, 2);
    assert_string_equal(counter.line, "second");
    loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_in_one_process_need_no_socket),
        cmocka_unit_test(roles_talk_over_tcp),
        cmocka_unit_test(roles_talk_over_unix_sockets),
        cmocka_unit_test(a_connection_that_fails_is_reported_from_the_loop),
        cmocka_unit_test(what_cannot_be_stored_is_told_to_nobody),
        cmocka_unit_test(lines_arrive_whole_and_the_end_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
