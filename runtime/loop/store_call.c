#include "runtime/loop/store_call.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/process/thread.h"
#include "runtime/loop/loop.h"

void store_call_begin(struct store_call *call, int64_t now_ms)
{
    if (call && call->depth++ == 0)
        atomic_store(&call->since_ms, now_ms > 0 ? now_ms : 1);
}

void store_call_end(struct store_call *call)
{
    if (call && --call->depth == 0)
        atomic_store(&call->since_ms, 0);
}

bool store_call_vouches(const struct store_call *call, int64_t now_ms)
{
    const int64_t since_ms = call ? atomic_load(&call->since_ms) : 0;

    return since_ms != 0 && now_ms - since_ms <= STORE_CALL_MS_MAX;
}

struct store_voucher {
    const struct store_call *call;
    int interval_ms, end;
    void (*say)(void *context);
    void *context;
    pthread_t thread;
};

static void *run_voucher(void *argument)
{
    const struct store_voucher *voucher = argument;
    struct pollfd end = {.fd = voucher->end, .events = POLLIN};

    while (poll(&end, 1, voucher->interval_ms) <= 0)
        if (store_call_vouches(voucher->call, loop_now_ms()))
            voucher->say(voucher->context);
    return NULL;
}

enum status store_voucher_start(const struct store_call *call, int interval_ms,
                                void (*say)(void *context), void *context,
                                struct store_voucher **out, struct error *err)
{
    struct store_voucher *voucher = calloc(1, sizeof *voucher);

    if (!voucher)
        return fail_no_memory(err);
    *voucher = (struct store_voucher){.call = call,
                                      .interval_ms = interval_ms,
                                      .end = eventfd(0, EFD_CLOEXEC),
                                      .say = say,
                                      .context = context};
    if (voucher->end < 0) {
        free(voucher);
        return fail_errno(err, STATUS_LIMIT, "cannot make an event descriptor");
    }
    if (!thread_start(&voucher->thread, run_voucher, voucher)) {
        close(voucher->end);
        free(voucher);
        return fail(err, STATUS_LIMIT, "cannot start a thread");
    }
    *out = voucher;
    return STATUS_OK;
}

void store_voucher_stop(struct store_voucher *voucher)
{
    if (!voucher)
        return;
    (void)eventfd_write(voucher->end, 1);
    pthread_join(voucher->thread, NULL);
    close(voucher->end);
    free(voucher);
}
