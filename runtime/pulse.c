#include "runtime/pulse.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/address.h"
#include "net/message.h"

struct pulse {
    pthread_t thread;
    const char *master;
    int interval_ms;
    int stop[2];       /* a pipe: its writing end is closed to stop the thread */
    struct text frame; /* the one message */
};

/* Sent whole or not at all: a frame is far smaller than a socket's buffer. A
 * master that does not read for so long will count what is there already. */
static void beat(const struct pulse *pulse, int *connection)
{
    ssize_t sent;

    if (*connection < 0 && address_connect(pulse->master, connection, NULL) != STATUS_OK)
        *connection = -1;
    if (*connection < 0)
        return;
    sent = send(*connection, pulse->frame.data, pulse->frame.size, MSG_NOSIGNAL);
    if (sent == (ssize_t)pulse->frame.size || (sent < 0 && errno == EAGAIN))
        return;
    close(*connection);
    *connection = -1;
}

static void *run(void *argument)
{
    const struct pulse *pulse = argument;
    struct pollfd stop = {.fd = pulse->stop[0], .events = POLLIN};
    int connection = -1, events;

    do {
        beat(pulse, &connection);
        events = poll(&stop, 1, pulse->interval_ms);
    } while (events == 0 || (events < 0 && errno == EINTR));
    if (connection >= 0)
        close(connection);
    return NULL;
}

enum status pulse_start(uint64_t job, uint32_t index, uint32_t incarnation, const char *master,
                        int interval_ms, struct pulse **out, struct error *err)
{
    const struct message message = {
        .type = MESSAGE_PULSE, .job = job, .pulse = {.index = index, .incarnation = incarnation}};
    struct pulse *pulse = calloc(1, sizeof *pulse);
    enum status status;

    if (!pulse)
        return fail_no_memory(err);
    pulse->master = master;
    pulse->interval_ms = interval_ms;
    text_init(&pulse->frame, FRAME_HEADER_BYTES + 64);
    status = message_write(&message, &pulse->frame, err);
    if (status == STATUS_OK && pipe2(pulse->stop, O_CLOEXEC) != 0)
        status = fail_errno(err, STATUS_IO, "cannot make a pipe");
    else if (status == STATUS_OK && pthread_create(&pulse->thread, NULL, run, pulse) != 0) {
        close(pulse->stop[0]);
        close(pulse->stop[1]);
        status = fail(err, STATUS_LIMIT, "cannot start a thread");
    }
    if (status != STATUS_OK) {
        text_deinit(&pulse->frame);
        free(pulse);
        return status;
    }
    *out = pulse;
    return STATUS_OK;
}

void pulse_stop(struct pulse *pulse)
{
    if (!pulse)
        return;
    close(pulse->stop[1]);
    pthread_join(pulse->thread, NULL);
    close(pulse->stop[0]);
    text_deinit(&pulse->frame);
    free(pulse);
}
