#include "runtime/process/role/end_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/process/log.h"
#include "base/process/thread.h"
#include "runtime/loop/loop_watch.h"

#define ASK_EVERY_MS 1000
#define ANSWER_MS    2000
#define OVER         "over\n"

struct end_watch {
    const struct pgstore *store;
    struct loop_lines *lines; /* the other end of `reporter` */
    void (*over)(void *context);
    void *context;
    pthread_t thread;
    int reporter, end; /* sockets: the thread's report; its order to stop */
};

/* Waits for the end. A question that cannot be answered now is asked again. */
static void *run_end_watch(void *argument)
{
    const struct end_watch *watch = argument;
    struct pollfd end = {.fd = watch->end, .events = POLLIN};
    bool is_over = false;
    struct error err;

    do {
        error_clear(&err);
        if (pgstore_look_for_end(watch->store, ANSWER_MS, &is_over, &err) != STATUS_OK)
            log_warning("is the job over? %s", err.message);
    } while (!is_over && poll(&end, 1, ASK_EVERY_MS) <= 0);
    if (is_over && write(watch->reporter, OVER, sizeof OVER - 1) < 0)
        log_warning("the end of the job is not told");
    return NULL;
}

static void on_line(void *context, struct slice line)
{
    const struct end_watch *watch = context;
    (void)line;

    watch->over(watch->context);
}

static void on_reporter_end(void *context)
{
    ((struct end_watch *)context)->lines = NULL;
}

static enum status open_ends(struct end_watch *watch, struct loop *loop, struct error *err)
{
    const struct line_reader reader = {
        .context = watch, .on_line = on_line, .on_end = on_reporter_end};
    int ends[2];

    watch->end = eventfd(0, EFD_CLOEXEC);
    if (watch->end < 0)
        return fail_errno(err, STATUS_LIMIT, "cannot make an event descriptor");
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(err, STATUS_LIMIT, "cannot make a pipe");
    watch->reporter = ends[1];
    return loop_read_lines(loop, ends[0], reader, &watch->lines, err);
}

static void close_ends(struct end_watch *watch)
{
    if (watch->lines)
        loop_lines_close(watch->lines);
    if (watch->reporter >= 0)
        close(watch->reporter);
    if (watch->end >= 0)
        close(watch->end);
}

enum status end_watch_start(const struct pgstore *store, struct loop *loop,
                            void (*over)(void *context), void *context, struct end_watch **out,
                            struct error *err)
{
    struct end_watch *watch = calloc(1, sizeof *watch);
    enum status status;

    if (!watch)
        return fail_no_memory(err);
    *watch = (struct end_watch){
        .store = store, .over = over, .context = context, .reporter = -1, .end = -1};
    status = open_ends(watch, loop, err);
    if (status == STATUS_OK && !thread_start(&watch->thread, run_end_watch, watch))
        status = fail(err, STATUS_LIMIT, "cannot start a thread");
    if (status != STATUS_OK) {
        close_ends(watch);
        free(watch);
        return status;
    }
    *out = watch;
    return STATUS_OK;
}

void end_watch_stop(struct end_watch *watch)
{
    if (!watch)
        return;
    (void)eventfd_write(watch->end, 1);
    pthread_join(watch->thread, NULL);
    close_ends(watch);
    free(watch);
}
