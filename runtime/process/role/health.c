#include "runtime/process/role/health.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/process/log.h"
#include "base/process/thread.h"
#include "runtime/loop/loop.h"
#include "runtime/net/address.h"

#define REQUEST_BYTES_MAX 4096
#define REQUEST_MS        1000

struct health {
    _Atomic int64_t beat_ms;
    const struct store_call *call;
    int listener, end;
    pthread_t thread;
};

/* An empty line ends it. What is longer, or slower, is not answered. */
static bool read_request(int client)
{
    struct pollfd wait = {.fd = client, .events = POLLIN};
    char bytes[REQUEST_BYTES_MAX + 1];
    size_t size = 0;

    while (size < REQUEST_BYTES_MAX && poll(&wait, 1, REQUEST_MS) > 0) {
        const ssize_t got = recv(client, bytes + size, REQUEST_BYTES_MAX - size, 0);

        if (got <= 0)
            return false;
        size += (size_t)got;
        bytes[size] = '\0';
        if (strstr(bytes, "\r\n\r\n"))
            return true;
    }
    return false;
}

static void answer(const struct health *health, int client)
{
    static const char alive[] = "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nok\n",
                      silent[] =
                          "HTTP/1.0 503 Service Unavailable\r\nContent-Length: 7\r\n\r\nsilent\n";
    const int64_t now_ms = loop_now_ms();
    const bool is_alive = now_ms - atomic_load(&health->beat_ms) <= (int64_t)HEALTH_SILENCE_MS ||
                          store_call_vouches(health->call, now_ms);

    if (read_request(client))
        (void)send(client, is_alive ? alive : silent, strlen(is_alive ? alive : silent),
                   MSG_NOSIGNAL);
    close(client);
}

static void *serve(void *context)
{
    const struct health *health = context;
    struct pollfd waits[] = {{.fd = health->listener, .events = POLLIN},
                             {.fd = health->end, .events = POLLIN}};

    while (poll(waits, 2, -1) < 0 || waits[1].revents == 0) {
        const int client = address_accept(health->listener);

        if (client >= 0)
            answer(health, client);
    }
    return NULL;
}

enum status health_open(const char *address, const struct store_call *call, struct health **out,
                        struct error *err)
{
    struct health *health = calloc(1, sizeof *health);
    char bound[ADDRESS_TEXT_MAX + 1];
    enum status status;

    if (!health)
        return fail_no_memory(err);
    atomic_store(&health->beat_ms, loop_now_ms());
    health->call = call;
    health->end = eventfd(0, EFD_CLOEXEC);
    health->listener = -1;
    status = health->end < 0 ? fail_errno(err, STATUS_LIMIT, "--health")
                             : address_listen(address, &health->listener, bound, sizeof bound, err);
    if (status == STATUS_OK && !thread_start(&health->thread, serve, health))
        status = fail(err, STATUS_LIMIT, "there is no thread for --health");
    if (status == STATUS_OK) {
        log_info("answers whether it is alive at %s", bound);
        *out = health;
        return STATUS_OK;
    }
    if (health->listener >= 0)
        close(health->listener);
    if (health->end >= 0)
        close(health->end);
    free(health);
    return status;
}

void health_beat(struct health *health, int64_t now_ms)
{
    if (health)
        atomic_store(&health->beat_ms, now_ms);
}

void health_close(struct health *health)
{
    if (!health)
        return;
    (void)eventfd_write(health->end, 1);
    pthread_join(health->thread, NULL);
    close(health->listener);
    close(health->end);
    free(health);
}
