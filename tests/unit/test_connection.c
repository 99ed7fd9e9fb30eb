#include "tests/check.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/event.h>

#include "runtime/net/address.h"
#include "runtime/net/connection.h"
#include "runtime/net/message.h"

/* One side of a conversation: collects frames, notes the end. */
struct side {
    struct event_base *base;
    struct connection *connection;
    uint64_t frames, bytes;
    uint32_t hash;
    bool is_closed, refuses;
    struct error reason;
};

static bool on_frame(void *context, struct connection *connection, struct slice frame)
{
    struct side *side = context;
    (void)connection;

    side->frames++;
    side->bytes += frame.size;
    for (size_t i = 0; i < frame.size; i++)
        side->hash = side->hash * 31 + (unsigned char)frame.data[i];
    return !side->refuses;
}

static void on_closed(void *context, struct connection *connection, const struct error *reason)
{
    struct side *side = context;

    side->is_closed = true;
    side->reason = *reason;
    connection_free(connection);
    side->connection = NULL;
}

static void open_side(struct side *side, struct event_base *base, int fd)
{
    struct connection_owner owner = {side, on_frame, on_closed};
    struct error err;

    memset(side, 0, sizeof *side);
    side->base = base;
    CHECK_OK(connection_new(base, fd, &(struct tls_demand){NULL}, owner, &side->connection, &err));
}

static void run_until(struct event_base *base, bool (*done)(struct side *), struct side *side)
{
    while (!done(side))
        event_base_loop(base, EVLOOP_ONCE);
}

static bool has_three(struct side *side)
{
    return side->frames == 3;
}

static bool is_closed(struct side *side)
{
    return side->is_closed;
}

static void append_frame(struct text *out, uint64_t phase, size_t size)
{
    struct message message = {.type = MESSAGE_STATE, .job = 1, .epoch = 1};
    char *bytes = calloc(1, size + 1);
    struct error err;

    memset(bytes, (int)phase, size);
    message.state = (struct message_state){phase, size, 0, {bytes, size}};
    CHECK_OK(message_write(&message, out, &err));
    free(bytes);
}

/* A connected pair over an address; the listener is closed again. */
static void connect_pair(struct event_base *base, const char *address, struct side *left,
                         struct side *right)
{
    char bound[MESSAGE_ADDRESS_MAX + 1];
    struct address where;
    int listener, from, to;
    struct error err;

    CHECK_OK(address_listen(address, &listener, bound, sizeof bound, &err));
    CHECK_OK(address_read(bound, &where, &err));
    CHECK_OK(address_connect(&where, &from, &err));
    while ((to = address_accept(listener)) < 0)
        continue;
    close(listener);
    open_side(left, base, from);
    open_side(right, base, to);
}

static void exchange(const char *address)
{
    struct event_base *base = event_base_new();
    struct side left, right;
    struct text frames;
    uint32_t hash = 0;

    connect_pair(base, address, &left, &right);
    text_init(&frames, 1 << 26);
    append_frame(&frames, 1, 10);
    append_frame(&frames, 2, (size_t)20 << 20); /* far more than any socket holds */
    append_frame(&frames, 3, 0);
    for (size_t i = 0; i < frames.size; i++)
        hash = hash * 31 + (unsigned char)frames.data[i];
    connection_send(left.connection, text_slice(&frames));
    CHECK(!connection_is_drained(left.connection));
    run_until(base, has_three, &right);
    CHECK_INT(right.bytes, frames.size);
    CHECK_INT(right.hash, hash);
    CHECK(connection_is_drained(left.connection));
    connection_free(left.connection);
    run_until(base, is_closed, &right);
    text_deinit(&frames);
    event_base_free(base);
}

static void frames_of_any_size_arrive_whole_over_tcp(void **state)
{
    (void)state;
    exchange("tcp:127.0.0.1:0");
}

static void frames_of_any_size_arrive_whole_over_unix_sockets(void **state)
{
    char folder[] = "/tmp/totrain-test.XXXXXX", address[64];
    (void)state;

    assert_non_null(mkdtemp(folder));
    snprintf(address, sizeof address, "unix:%s/s", folder);
    exchange(address);
    unlink(address + 5);
    rmdir(folder);
}

static void bytes_that_are_no_frame_close_the_connection(void **state)
{
    struct event_base *base = event_base_new();
    struct side side;
    char garbage[FRAME_HEADER_BYTES];
    int pair[2];
    (void)state;

    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    open_side(&side, base, pair[0]);
    memset(garbage, 0xff, sizeof garbage);
    CHECK_INT(write(pair[1], garbage, sizeof garbage), sizeof garbage);
    run_until(base, is_closed, &side);
    CHECK_INT(side.frames, 0);
    CHECK_INT(side.reason.status, STATUS_PROTOCOL);
    close(pair[1]);
    event_base_free(base);
}

static void a_stream_cut_inside_a_frame_gives_no_frame(void **state)
{
    struct event_base *base = event_base_new();
    struct side side;
    struct text frame;
    int pair[2];
    (void)state;

    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    open_side(&side, base, pair[0]);
    text_init(&frame, 1 << 16);
    append_frame(&frame, 1, 100);
    CHECK_INT(write(pair[1], frame.data, frame.size - 1), frame.size - 1);
    close(pair[1]);
    run_until(base, is_closed, &side);
    CHECK_INT(side.frames, 0);
    text_deinit(&frame);
    event_base_free(base);
}

static void an_owner_that_refuses_a_message_gets_no_more(void **state)
{
    struct event_base *base = event_base_new();
    struct side side;
    struct text frames;
    int pair[2];
    (void)state;

    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    open_side(&side, base, pair[0]);
    side.refuses = true;
    text_init(&frames, 1 << 16);
    append_frame(&frames, 1, 10);
    append_frame(&frames, 2, 10);
    CHECK_INT(write(pair[1], frames.data, frames.size), frames.size);
    run_until(base, is_closed, &side);
    CHECK_INT(side.frames, 1);
    close(pair[1]);
    text_deinit(&frames);
    event_base_free(base);
}

/* The memory is never written, so that it costs none. */
static void a_peer_that_does_not_read_is_given_up_at_the_limit(void **state)
{
    size_t size = CONNECTION_UNSENT_MAX + ((size_t)16 << 20); /* includes the sockets' buffers */
    char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct event_base *base = event_base_new();
    struct side side;
    int pair[2];
    (void)state;

    CHECK(bytes != MAP_FAILED);
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    open_side(&side, base, pair[0]);
    connection_send(side.connection, (struct slice){bytes, (size_t)16 << 20});
    CHECK(!connection_is_drained(side.connection));
    connection_send(side.connection, (struct slice){bytes, size - ((size_t)16 << 20)});
    run_until(base, is_closed, &side);
    CHECK_INT(side.reason.status, STATUS_LIMIT);
    close(pair[1]);
    munmap(bytes, size);
    event_base_free(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_any_size_arrive_whole_over_tcp),
        cmocka_unit_test(frames_of_any_size_arrive_whole_over_unix_sockets),
        cmocka_unit_test(bytes_that_are_no_frame_close_the_connection),
        cmocka_unit_test(a_stream_cut_inside_a_frame_gives_no_frame),
        cmocka_unit_test(an_owner_that_refuses_a_message_gets_no_more),
        cmocka_unit_test(a_peer_that_does_not_read_is_given_up_at_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
