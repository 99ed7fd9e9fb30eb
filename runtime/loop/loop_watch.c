#include "runtime/loop/loop_watch.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "runtime/launch/job_event.h"
#include "runtime/loop/loop_parts.h"

struct loop_lines {
    struct loop *loop;
    struct line_reader reader;
    struct event *readable;
    struct text pending;
    struct loop_lines *next;
};

struct watch {
    struct loop *loop;
    struct event *event;
    bool is_listener;
    void (*call)(void *context);
    void *context;
    struct line_reader reader; /* listener */
    struct watch *next;
};

int loop_lines_fd(const struct loop_lines *lines)
{
    return event_get_fd(lines->readable);
}

void loop_lines_close(struct loop_lines *lines)
{
    struct loop_lines **at = &lines->loop->lines;

    while (*at != lines)
        at = &(*at)->next;
    *at = lines->next;
    if (lines->readable) {
        close(event_get_fd(lines->readable));
        event_free(lines->readable);
    }
    text_deinit(&lines->pending);
    free(lines);
}

/* Each line goes out after it was taken from `pending`; the call may close
 * the reader, so nothing of it is touched unless it is still in the list. */
static bool is_open(const struct loop *loop, const struct loop_lines *lines)
{
    const struct loop_lines *at = loop->lines;

    while (at && at != lines)
        at = at->next;
    return at != NULL;
}

/* A reply is short; where the client does not read it, it is lost: the loop never waits. */
static void answer(struct loop_lines *lines, struct slice line)
{
    struct loop *loop = lines->loop;
    struct text reply;

    text_init(&reply, LAUNCH_EVENT_BYTES_MAX);
    lines->reader.on_request(lines->reader.context, line, &reply);
    if (reply.size > 0 && is_open(loop, lines))
        (void)send(loop_lines_fd(lines), reply.data, reply.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    text_deinit(&reply);
}

static void give_lines(struct loop_lines *lines)
{
    struct loop *loop = lines->loop;
    struct text whole = lines->pending;
    size_t at = 0;
    char *newline;

    text_init(&lines->pending, LAUNCH_EVENT_BYTES_MAX);
    while (is_open(loop, lines) && at < whole.size &&
           (newline = memchr(whole.data + at, '\n', whole.size - at))) {
        struct slice line = {whole.data + at, (size_t)(newline - whole.data) - at};

        at += line.size + 1;
        if (lines->reader.on_request)
            answer(lines, line);
        else
            lines->reader.on_line(lines->reader.context, line);
    }
    if (is_open(loop, lines) && at < whole.size)
        text_append(&lines->pending, (struct slice){whole.data + at, whole.size - at});
    text_deinit(&whole);
}

static void on_readable(evutil_socket_t fd, short what, void *context)
{
    struct loop_lines *lines = context;
    struct line_reader reader = lines->reader;
    char bytes[4096];
    ssize_t size = read(fd, bytes, sizeof bytes);
    (void)what;

    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size > 0) {
        text_append(&lines->pending, (struct slice){bytes, (size_t)size});
        if (!lines->pending.failed) {
            if (memchr(bytes, '\n', (size_t)size))
                give_lines(lines);
            return;
        }
    }
    loop_lines_close(lines);
    if (reader.on_end)
        reader.on_end(reader.context);
}

enum status loop_read_lines(struct loop *loop, int fd, struct line_reader reader,
                            struct loop_lines **out, struct error *err)
{
    struct loop_lines *lines = calloc(1, sizeof *lines);

    if (!lines) {
        close(fd);
        return fail_no_memory(err);
    }
    lines->loop = loop;
    lines->reader = reader;
    lines->next = loop->lines;
    loop->lines = lines;
    text_init(&lines->pending, LAUNCH_EVENT_BYTES_MAX);
    lines->readable = event_new(loop->base, fd, EV_READ | EV_PERSIST, on_readable, lines);
    if (!lines->readable || event_add(lines->readable, NULL) != 0) {
        if (!lines->readable)
            close(fd);
        loop_lines_close(lines);
        return fail(err, STATUS_IO, "cannot watch descriptor %d", fd);
    }
    if (out)
        *out = lines;
    return STATUS_OK;
}

static struct watch *add_watch(struct loop *loop)
{
    struct watch *watch = calloc(1, sizeof *watch);

    if (!watch)
        return NULL;
    watch->loop = loop;
    watch->next = loop->watches;
    loop->watches = watch;
    return watch;
}

static void on_signal(evutil_socket_t number, short what, void *context)
{
    struct watch *watch = context;
    (void)number;
    (void)what;

    watch->call(watch->context);
}

enum status loop_on_signal(struct loop *loop, int number, void (*call)(void *context),
                           void *context, struct error *err)
{
    struct watch *watch = add_watch(loop);

    if (!watch)
        return fail_no_memory(err);
    watch->call = call;
    watch->context = context;
    watch->event = evsignal_new(loop->base, number, on_signal, watch);
    if (!watch->event || event_add(watch->event, NULL) != 0)
        return fail_no_memory(err);
    return STATUS_OK;
}

static void on_accept(evutil_socket_t listener, short what, void *context)
{
    struct watch *watch = context;
    int fd;
    (void)what;

    while ((fd = address_accept(listener)) >= 0)
        (void)loop_read_lines(watch->loop, fd, watch->reader, NULL, NULL);
}

enum status loop_listen_lines(struct loop *loop, const char *address, struct line_reader reader,
                              struct error *err)
{
    struct watch *watch = add_watch(loop);
    char bound[MESSAGE_ADDRESS_MAX + 1];
    int fd;

    if (!watch)
        return fail_no_memory(err);
    watch->reader = reader;
    TRY(address_listen(address, &fd, bound, sizeof bound, err));
    watch->is_listener = true;
    watch->event = event_new(loop->base, fd, EV_READ | EV_PERSIST, on_accept, watch);
    if (!watch->event || event_add(watch->event, NULL) != 0)
        return fail_no_memory(err);
    return STATUS_OK;
}

static void on_wake(evutil_socket_t timer, short what, void *context)
{
    uint64_t times;
    (void)what;
    (void)context;

    if (read(timer, &times, sizeof times) < 0)
        return; /* it was set again meanwhile */
}

/* A timer of its own: those of libevent are as coarse as a millisecond. */
static bool make_waker(struct loop *loop)
{
    int timer;

    if (loop->waker)
        return true;
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (timer < 0)
        return false;
    loop->waker = event_new(loop->base, timer, EV_READ | EV_PERSIST, on_wake, loop);
    if (loop->waker && event_add(loop->waker, NULL) == 0)
        return true;
    close(timer);
    return false;
}

void loop_wake_at(struct loop *loop, int64_t at_us)
{
    struct itimerspec when = {
        .it_value = {.tv_sec = at_us / 1000000, .tv_nsec = at_us % 1000000 * 1000}};

    /* Without a timer the tick asks the roles, later. */
    if (make_waker(loop))
        (void)timerfd_settime(event_get_fd(loop->waker), TFD_TIMER_ABSTIME, &when, NULL);
}

void loop_free_watches(struct loop *loop)
{
    if (loop->waker) {
        close(event_get_fd(loop->waker));
        event_free(loop->waker);
    }
    while (loop->lines)
        loop_lines_close(loop->lines);
    while (loop->watches) {
        struct watch *watch = loop->watches;

        loop->watches = watch->next;
        if (watch->event && watch->is_listener)
            close(event_get_fd(watch->event));
        if (watch->event)
            event_free(watch->event);
        free(watch);
    }
}
