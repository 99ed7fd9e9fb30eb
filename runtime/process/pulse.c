#include "runtime/process/pulse.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/progress.h"
#include "runtime/loop/loop.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/process/stall.h"

/* A role of its own, on a loop of its own: all it does is done at a tick. */
struct pulse {
    pthread_t thread;
    struct loop *loop; /* of the thread, once that runs */
    int stop;          /* a pipe's writing end; closing it stops the thread */
    const char *master;
    struct message message;
    struct stall stall;
    peer_id peer, next_peer;
};

static void on_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox)
{
    struct pulse *pulse = self;
    (void)now_ms;
    (void)message;

    /* The job has ended: the worker itself receives END, too. */
    outbox_close(outbox, from);
    pulse->peer = PEER_NONE;
}

static void on_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct pulse *pulse = self;
    (void)now_ms;
    (void)outbox;

    if (peer == pulse->peer)
        pulse->peer = PEER_NONE; /* the next tick connects again */
}

/* Of all threads of this process. */
static int64_t processor_ms(void)
{
    struct timespec time;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0)
        return 0;
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static uint32_t at_most_32_bits(int64_t ms)
{
    return ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
}

static void beat(void *self, int64_t now_ms, struct outbox *outbox)
{
    struct pulse *pulse = self;
    struct message_process_alive *told = &pulse->message.process_alive;

    stall_look(&pulse->stall, now_ms, progress_count(), processor_ms());
    told->still_ms = at_most_32_bits(pulse->stall.still_ms);
    told->usual_ms = at_most_32_bits(pulse->stall.usual_ms);
    told->is_computing = pulse->stall.is_computing;
    if (pulse->peer == PEER_NONE) {
        pulse->peer = pulse->next_peer++;
        outbox_connect(outbox, pulse->peer, slice_of(pulse->master));
    }
    outbox_send(outbox, pulse->peer, &pulse->message);
}

static void *run(void *argument)
{
    struct pulse *pulse = argument;

    (void)loop_run(pulse->loop, NULL);
    return NULL;
}

static void on_line(void *context, struct slice line)
{
    (void)context;
    (void)line;
}

static void on_stop(void *context)
{
    loop_stop(context, STATUS_OK, NULL);
}

static enum status prepare(struct pulse *pulse, const struct loop_network *network, int interval_ms,
                           struct error *err)
{
    struct role role = {
        .self = pulse, .on_message = on_message, .on_disconnect = on_disconnect, .on_tick = beat};
    struct line_reader reader = {.on_line = on_line, .on_end = on_stop};
    struct loop_role *added;
    int ends[2];

    TRY(loop_new(interval_ms, &pulse->loop, err));
    loop_use_network(pulse->loop, network);
    TRY(loop_add_role(pulse->loop, &role, NULL, NULL, 0, &added, err));
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(err, STATUS_IO, "cannot make a pipe");
    pulse->stop = ends[1];
    reader.context = pulse->loop;
    TRY(loop_read_lines(pulse->loop, ends[0], reader, NULL, err));
    stall_init(&pulse->stall, interval_ms, loop_now_ms());
    beat(pulse, loop_now_ms(), loop_outbox(added));
    loop_flush(added);
    return STATUS_OK;
}

static void free_pulse(struct pulse *pulse)
{
    if (pulse->stop >= 0)
        close(pulse->stop);
    loop_free(pulse->loop);
    free(pulse);
}

enum status pulse_start(uint64_t job, uint32_t index, uint32_t incarnation,
                        const struct loop_network *network, int interval_ms, struct pulse **out,
                        struct error *err)
{
    struct pulse *pulse = calloc(1, sizeof *pulse);
    enum status status;

    if (!pulse)
        return fail_no_memory(err);
    pulse->master = network->master;
    pulse->next_peer = PEER_FIRST_ASKED;
    pulse->message =
        (struct message){.type = MESSAGE_PROCESS_ALIVE,
                         .job = job,
                         .process_alive = {.index = index, .incarnation = incarnation}};
    pulse->stop = -1;
    status = prepare(pulse, network, interval_ms, err);
    if (status == STATUS_OK && pthread_create(&pulse->thread, NULL, run, pulse) != 0)
        status = fail(err, STATUS_LIMIT, "cannot start a thread");
    if (status != STATUS_OK)
        free_pulse(pulse);
    else
        *out = pulse;
    return status;
}

void pulse_stop(struct pulse *pulse)
{
    if (!pulse)
        return;
    close(pulse->stop);
    pulse->stop = -1;
    pthread_join(pulse->thread, NULL);
    free_pulse(pulse);
}
