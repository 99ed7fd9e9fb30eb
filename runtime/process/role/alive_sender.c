#include "runtime/process/role/alive_sender.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/process/progress.h"
#include "runtime/loop/loop.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/process/role/stall.h"

/* A role of its own, on a loop of its own: all it does is done at a tick. */
struct alive_sender {
    pthread_t thread;
    struct loop *loop; /* the thread's, once that runs */
    int stop;          /* a pipe's writing end; closing it stops the thread */
    const char *master;
    struct message message;
    struct stall stall;
    peer_id peer, next_peer;
};

static void on_message(void *self, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox)
{
    struct alive_sender *sender = self;
    (void)now_ms;
    (void)message;

    /* The job has ended: the worker itself receives END, too. */
    outbox_close(outbox, from);
    sender->peer = PEER_NONE;
}

static void on_disconnect(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox)
{
    struct alive_sender *sender = self;
    (void)now_ms;
    (void)outbox;

    if (peer == sender->peer)
        sender->peer = PEER_NONE; /* the next tick connects again */
}

/* Processor time of all threads of this process. */
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
    struct alive_sender *sender = self;
    struct message_process_alive *told = &sender->message.process_alive;

    stall_look(&sender->stall, now_ms, progress_count(), processor_ms());
    told->still_ms = at_most_32_bits(sender->stall.still_ms);
    told->usual_ms = at_most_32_bits(sender->stall.usual_ms);
    told->is_computing = sender->stall.is_computing;
    if (sender->peer == PEER_NONE) {
        sender->peer = sender->next_peer++;
        outbox_connect(outbox, sender->peer, slice_of(sender->master));
    }
    outbox_send(outbox, sender->peer, &sender->message);
}

static void *run_sender(void *argument)
{
    struct alive_sender *sender = argument;

    (void)loop_run(sender->loop, NULL);
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

static enum status prepare(struct alive_sender *sender, const struct loop_network *network,
                           int interval_ms, struct error *err)
{
    struct role role = {
        .self = sender, .on_message = on_message, .on_disconnect = on_disconnect, .on_tick = beat};
    struct line_reader reader = {.on_line = on_line, .on_end = on_stop};
    struct loop_role *added;
    int ends[2];

    TRY(loop_new(interval_ms, &sender->loop, err));
    loop_use_network(sender->loop, network);
    TRY(loop_add_role(sender->loop, &role, NULL, NULL, 0, &added, err));
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(err, STATUS_IO, "cannot make a pipe");
    sender->stop = ends[1];
    reader.context = sender->loop;
    TRY(loop_read_lines(sender->loop, ends[0], reader, NULL, err));
    stall_init(&sender->stall, interval_ms, loop_now_ms());
    beat(sender, loop_now_ms(), loop_outbox(added));
    loop_flush(added);
    return STATUS_OK;
}

static void free_sender(struct alive_sender *sender)
{
    if (sender->stop >= 0)
        close(sender->stop);
    loop_free(sender->loop);
    free(sender);
}

enum status alive_sender_start(uint64_t job, uint32_t index, uint32_t incarnation,
                               const struct loop_network *network, int interval_ms,
                               struct alive_sender **out, struct error *err)
{
    struct alive_sender *sender = calloc(1, sizeof *sender);
    enum status status;

    if (!sender)
        return fail_no_memory(err);
    sender->master = network->master;
    sender->next_peer = PEER_FIRST_ASKED;
    sender->message =
        (struct message){.type = MESSAGE_PROCESS_ALIVE,
                         .job = job,
                         .process_alive = {.index = index, .incarnation = incarnation}};
    sender->stop = -1;
    status = prepare(sender, network, interval_ms, err);
    if (status == STATUS_OK && pthread_create(&sender->thread, NULL, run_sender, sender) != 0)
        status = fail(err, STATUS_LIMIT, "cannot start a thread");
    if (status != STATUS_OK)
        free_sender(sender);
    else
        *out = sender;
    return status;
}

void alive_sender_stop(struct alive_sender *sender)
{
    if (!sender)
        return;
    close(sender->stop);
    sender->stop = -1;
    pthread_join(sender->thread, NULL);
    free_sender(sender);
}
