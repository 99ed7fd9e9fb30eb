/*
 * Two roles that count to each other, over every kind of connection.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "runtime/loop/loop.h"
#include "runtime/loop/loop_task.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/net/address.h"
#include "runtime/net/authority.h"
#include "runtime/net/tls.h"
#include "tests/check.h"

#define ROUNDS    100
#define STRANGERS 64 /* strangers that the loop keeps */

struct counter {
    uint64_t heard, lost, lines;
    peer_id peer;
    bool leaves; /* closes after the last round; the other then ends the loop */
    struct slice last_line;
    char line[64];
};

static void reply(peer_id peer, uint64_t phase, struct outbox *outbox)
{
    struct message message = {
        .type = MESSAGE_PHASE_ALIVE, .job = 1, .phase_alive = {.phase = phase}};

    outbox_send(outbox, peer, &message);
}

static void on_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox)
{
    struct counter *counter = self;
    (void)now_ms;

    counter->heard++;
    if (message->phase_alive.phase < ROUNDS)
        reply(from, message->phase_alive.phase + 1, outbox);
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

static void count_over(const char *address, const struct loop_network *network)
{
    struct counter left = {.heard = 0}, right = {.heard = 0};
    struct role role;
    struct loop_role *one, *other;
    struct loop *loop;
    char bound[MESSAGE_ADDRESS_MAX + 1];
    struct error err;

    snprintf(bound, sizeof bound, "%s", address);
    CHECK_OK(loop_new(20, &loop, &err));
    if (network)
        loop_use_network(loop, network);
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
    count_over(LOOP_LOCAL "one", NULL);
}

static struct tls *credentials_of(uint64_t job, uint32_t index)
{
    struct identity who = {job, IDENTITY_WORKER, index};
    struct credentials credentials;
    struct authority *authority;
    struct tls *tls;
    struct error err;

    credentials_init(&credentials);
    CHECK_OK(authority_new(job, time(NULL), &authority, &err));
    CHECK_OK(authority_issue(authority, &who, time(NULL), &credentials, &err));
    CHECK_OK(tls_new(&credentials, &tls, &err));
    credentials_deinit(&credentials);
    authority_free(authority);
    return tls;
}

static void roles_talk_over_tls(void **state)
{
    struct loop_network network = {.tls = credentials_of(1, 0)};
    (void)state;

    count_over("tcp:127.0.0.1:0", &network);
    tls_free(network.tls);
}

static void there_is_no_tcp_without_tls(void **state)
{
    struct counter counter = {.heard = 0};
    struct role role = role_of(&counter);
    char bound[MESSAGE_ADDRESS_MAX + 1];
    struct loop_role *one;
    struct loop *loop;
    struct error err;
    (void)state;

    CHECK_OK(loop_new(20, &loop, &err));
    CHECK_FAILS(loop_add_role(loop, &role, "tcp:127.0.0.1:0", bound, sizeof bound, &one, &err),
                STATUS_PERMISSION, "needs TLS credentials");
    outbox_connect(loop_outbox(one), PEER_FIRST_ASKED, SLICE("tcp:127.0.0.1:1"));
    loop_flush(one);
    CHECK_OK(loop_run(loop, &err));
    CHECK_INT(counter.lost, 1);
    loop_free(loop);
}

/* A worker that says HELLO as another index than its certificate's. */
static void a_worker_cannot_speak_for_another(void **state)
{
    struct counter left = {.heard = 0}, right = {.heard = 0};
    struct loop_network network = {.tls = credentials_of(1, 3)};
    struct message hello = {.type = MESSAGE_HELLO, .job = 1, .hello = {.index = 3}};
    struct role role;
    struct loop_role *one, *other;
    struct loop *loop;
    char bound[MESSAGE_ADDRESS_MAX + 1];
    struct error err;
    (void)state;

    CHECK_OK(loop_new(20, &loop, &err));
    loop_use_network(loop, &network);
    role = role_of(&left);
    CHECK_OK(loop_add_role(loop, &role, "tcp:127.0.0.1:0", bound, sizeof bound, &one, &err));
    role = role_of(&right);
    CHECK_OK(loop_add_role(loop, &role, NULL, NULL, 0, &other, &err));
    outbox_connect(loop_outbox(other), PEER_FIRST_ASKED, slice_of(bound));
    hello.hello.index = 4;
    outbox_send(loop_outbox(other), PEER_FIRST_ASKED, &hello);
    loop_flush(other);
    CHECK_OK(loop_run(loop, &err));
    CHECK_INT(left.heard, 0);
    CHECK_INT(left.lost, 1);
    loop_free(loop);
    tls_free(network.tls);
}

struct waiting {
    struct loop *loop;
    int fds[STRANGERS + 1]; /* connections that send nothing; -1: closed by the loop */
    uint32_t open;
    const char *bound;
};

static uint32_t count_open(struct waiting *waiting)
{
    uint32_t open = 0;
    char byte;

    for (int i = 0; i <= STRANGERS; i++)
        open += recv(waiting->fds[i], &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
    return open;
}

static void stop_when_one_is_gone(void *context, int64_t now_ms)
{
    struct waiting *waiting = context;
    (void)now_ms;

    waiting->open = count_open(waiting);
    if (waiting->open <= STRANGERS)
        loop_stop(waiting->loop, STATUS_OK, NULL);
}

static void the_oldest_of_too_many_unverified_connections_is_closed(void **state)
{
    struct loop_network network = {.tls = credentials_of(1, 3)};
    struct counter counter = {.heard = 0};
    struct role role = role_of(&counter);
    char bound[MESSAGE_ADDRESS_MAX + 1], byte;
    struct waiting waiting;
    struct loop_role *one;
    struct address where;
    struct error err;
    (void)state;

    CHECK_OK(loop_new(20, &waiting.loop, &err));
    loop_use_network(waiting.loop, &network);
    CHECK_OK(
        loop_add_role(waiting.loop, &role, "tcp:127.0.0.1:0", bound, sizeof bound, &one, &err));
    CHECK_OK(address_read(bound, &where, &err));
    for (int i = 0; i <= STRANGERS; i++)
        CHECK_OK(address_connect(&where, &waiting.fds[i], &err));
    loop_on_tick(waiting.loop, stop_when_one_is_gone, &waiting);
    CHECK_OK(loop_run(waiting.loop, &err));
    CHECK_INT(recv(waiting.fds[0], &byte, 1, MSG_DONTWAIT), 0);
    CHECK_INT(waiting.open, STRANGERS);
    CHECK_INT(counter.lost, 0); /* the role never heard of them */
    for (int i = 0; i <= STRANGERS; i++)
        close(waiting.fds[i]);
    loop_free(waiting.loop);
    tls_free(network.tls);
}

static void roles_talk_over_unix_sockets(void **state)
{
    char folder[] = "/tmp/totrain-test.XXXXXX", address[64];
    (void)state;

    assert_non_null(mkdtemp(folder));
    snprintf(address, sizeof address, "unix:%s/s", folder);
    count_over(address, NULL);
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

struct hungry {
    struct loop *loop;
    int fds[3];
    struct rlimit usual;
    int ticks;
};

/* Garbage is answered by closing, as soon as a connection is accepted. */
static bool is_answered(int fd)
{
    char bytes[64];
    ssize_t size;

    do {
        size = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    } while (size > 0);
    return size == 0 || errno != EAGAIN;
}

static void give_descriptors_back(void *context, int64_t now_ms)
{
    struct hungry *hungry = context;
    int answered = 0;
    (void)now_ms;

    for (int i = 0; i < 3; i++)
        answered += is_answered(hungry->fds[i]);
    if (++hungry->ticks <= 3)
        CHECK_INT(answered, 0);
    if (hungry->ticks == 3)
        CHECK_INT(setrlimit(RLIMIT_NOFILE, &hungry->usual), 0);
    if (answered == 3)
        loop_stop(hungry->loop, STATUS_OK, NULL);
}

static void who_comes_when_there_are_no_descriptors_is_let_in_later(void **state)
{
    struct loop_network network = {.tls = credentials_of(1, 3)};
    struct counter counter = {.heard = 0};
    struct role role = role_of(&counter);
    char bound[MESSAGE_ADDRESS_MAX + 1], garbage[100];
    struct hungry hungry = {.ticks = 0};
    struct loop_role *one;
    struct address where;
    struct rlimit none;
    struct error err;
    (void)state;

    memset(garbage, 'x', sizeof garbage);
    CHECK_OK(loop_new(20, &hungry.loop, &err));
    loop_use_network(hungry.loop, &network);
    CHECK_OK(loop_add_role(hungry.loop, &role, "tcp:127.0.0.1:0", bound, sizeof bound, &one, &err));
    CHECK_OK(address_read(bound, &where, &err));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(address_connect(&where, &hungry.fds[i], &err));
        while (send(hungry.fds[i], garbage, sizeof garbage, MSG_NOSIGNAL) < 0)
            CHECK(errno == EAGAIN);
    }
    CHECK_INT(getrlimit(RLIMIT_NOFILE, &hungry.usual), 0);
    none = (struct rlimit){3, hungry.usual.rlim_max};
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &none), 0);
    loop_on_tick(hungry.loop, give_descriptors_back, &hungry);
    CHECK_OK(loop_run(hungry.loop, &err));
    CHECK(hungry.ticks > 3);
    for (int i = 0; i < 3; i++)
        close(hungry.fds[i]);
    loop_free(hungry.loop);
    tls_free(network.tls);
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

/* Expects a message that is only sent when it was looked for the third time. */
struct expecting {
    bool has_worked, is_over;
    uint32_t looks, ticks;
    struct loop_role *sender;
    struct loop *loop;
};

static bool has_work_once(void *self)
{
    struct expecting *expecting = self;
    return !expecting->has_worked;
}

static void work_once(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct expecting *expecting = self;
    (void)now_ms;
    (void)outbox;

    expecting->has_worked = true;
}

static bool expects_soon(void *self)
{
    struct expecting *expecting = self;

    if (++expecting->looks == 3 && expecting->sender) {
        reply(PEER_FIRST_ASKED, 1, loop_outbox(expecting->sender));
        loop_flush(expecting->sender);
    }
    return !expecting->is_over;
}

static void on_expected(void *self, int64_t now_ms, peer_id from, const struct message *message,
                        struct outbox *outbox)
{
    struct expecting *expecting = self;
    (void)now_ms;
    (void)from;
    (void)message;

    expecting->is_over = true;
    outbox_end(outbox, STATUS_OK);
}

static void on_tenth_tick(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct expecting *expecting = self;
    (void)now_ms;

    if (++expecting->ticks == 10)
        outbox_end(outbox, STATUS_OK);
}

static struct role role_expecting(struct expecting *expecting)
{
    return (struct role){.self = expecting,
                         .on_message = on_expected,
                         .on_disconnect = on_disconnect,
                         .on_tick = on_tick,
                         .has_work = has_work_once,
                         .work = work_once,
                         .expects_soon = expects_soon};
}

static void what_is_expected_soon_is_looked_for(void **state)
{
    char folder[] = "/tmp/totrain-test.XXXXXX", address[64];
    struct expecting expecting = {.looks = 0};
    struct counter counter = {.heard = 0};
    struct role role = role_expecting(&expecting);
    char bound[MESSAGE_ADDRESS_MAX + 1];
    struct loop_role *added;
    struct error err;
    (void)state;

    assert_non_null(mkdtemp(folder));
    snprintf(address, sizeof address, "unix:%s/s", folder);
    CHECK_OK(loop_new(3600000, &expecting.loop, &err));
    loop_set_busy_poll(expecting.loop, INT64_C(3600000000));
    CHECK_OK(loop_add_role(expecting.loop, &role, address, bound, sizeof bound, &added, &err));
    role = role_of(&counter);
    CHECK_OK(loop_add_role(expecting.loop, &role, NULL, NULL, 0, &expecting.sender, &err));
    outbox_connect(loop_outbox(expecting.sender), PEER_FIRST_ASKED, slice_of(bound));
    loop_flush(expecting.sender);
    CHECK_OK(loop_run(expecting.loop, &err));
    CHECK(expecting.is_over);
    loop_free(expecting.loop);
    unlink(address + 5);
    rmdir(folder);
}

/* Once it has looked in vain it sleeps, whatever the role goes on expecting. */
static void what_does_not_come_is_not_looked_for_for_ever(void **state)
{
    struct expecting expecting = {.has_worked = true};
    struct role role = role_expecting(&expecting);
    struct loop_role *added;
    struct error err;
    (void)state;

    CHECK_OK(loop_new(1, &expecting.loop, &err));
    loop_set_busy_poll(expecting.loop, INT64_C(3600000000));
    role.on_tick = on_tenth_tick;
    CHECK_OK(loop_add_role(expecting.loop, &role, NULL, NULL, 0, &added, &err));
    CHECK_OK(loop_run(expecting.loop, &err));
    CHECK_INT(expecting.ticks, 10);
    CHECK(expecting.looks <= 20);
    loop_free(expecting.loop);
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

/* ---- work beside the loop ---- */

struct work {
    struct loop *loop;
    struct loop_task task;
    pthread_t thread;
    int runs, ends;
};

static void work_runs(void *context)
{
    struct work *work = context;

    work->thread = pthread_self();
    work->runs++;
}

/* It is started once more from here. */
static void work_ended(void *context)
{
    struct work *work = context;
    struct error err;

    CHECK(!work->task.is_running && !pthread_equal(work->thread, pthread_self()));
    if (++work->ends < 2)
        CHECK_OK(loop_task_start(work->loop, &work->task, &err));
    else
        loop_stop(work->loop, STATUS_OK, NULL);
}

static void a_task_runs_beside_the_loop_and_its_end_is_told(void **state)
{
    struct work work = {.task = {.run = work_runs, .ended = work_ended, .context = &work}};
    struct error err;
    (void)state;

    CHECK_OK(loop_new(20, &work.loop, &err));
    CHECK_OK(loop_task_start(work.loop, &work.task, &err));
    CHECK(work.task.is_running);
    CHECK_OK(loop_run(work.loop, &err));
    CHECK(work.runs == 2 && work.ends == 2);
    loop_free(work.loop);
}

/* Nobody is told of the end of what has not begun. */
static void a_task_that_cannot_be_started_is_an_error(void **state)
{
    struct work work = {.task = {.run = work_runs, .ended = work_ended, .context = &work}};
    struct rlimit before, few;
    struct error err;
    int next;
    (void)state;

    CHECK_OK(loop_new(20, &work.loop, &err));
    next = dup(0);
    close(next);
    CHECK_INT(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)next + 1;
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
    CHECK_FAILS(loop_task_start(work.loop, &work.task, &err), STATUS_IO, "cannot make a pipe");
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &before), 0);
    CHECK(!work.task.is_running && work.runs == 0);
    loop_free(work.loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_in_one_process_need_no_socket),
        cmocka_unit_test(roles_talk_over_tls),
        cmocka_unit_test(there_is_no_tcp_without_tls),
        cmocka_unit_test(a_worker_cannot_speak_for_another),
        cmocka_unit_test(who_comes_when_there_are_no_descriptors_is_let_in_later),
        cmocka_unit_test(the_oldest_of_too_many_unverified_connections_is_closed),
        cmocka_unit_test(roles_talk_over_unix_sockets),
        cmocka_unit_test(a_connection_that_fails_is_reported_from_the_loop),
        cmocka_unit_test(what_cannot_be_stored_is_told_to_nobody),
        cmocka_unit_test(what_is_expected_soon_is_looked_for),
        cmocka_unit_test(what_does_not_come_is_not_looked_for_for_ever),
        cmocka_unit_test(lines_arrive_whole_and_the_end_once),
        cmocka_unit_test(a_task_runs_beside_the_loop_and_its_end_is_told),
        cmocka_unit_test(a_task_that_cannot_be_started_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
