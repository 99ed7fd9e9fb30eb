/*
 * store_call.h - is the process in a call of its store, and for how long?
 *
 *     loop's thread:  begin ---- write, commit, fsync ---- end
 *     other threads:            ^ store_call_vouches: the silence of the loop has a reason
 *
 * Committing a large transaction, or bringing it to a slow disk, takes as long as the disk takes,
 * and the loop of the process stands still meanwhile. The supervisor or kubelet that watches the
 * process must not take that for its death. A call that lasts longer than STORE_CALL_MS_MAX does
 * not count any more, so that a store that hangs for ever is found.
 *
 * One thread begins and ends calls, which may be nested; any thread may ask.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define STORE_CALL_MS_MAX 600000

struct store_call {
    _Atomic int64_t since_ms; /* loop_now_ms when the call began; 0: no call is in flight */
    uint32_t depth;
};

/* `call` may be NULL: nothing is recorded then. */
void store_call_begin(struct store_call *call, int64_t now_ms);
void store_call_end(struct store_call *call);
/* A call is in flight, and has not lasted too long. */
bool store_call_vouches(const struct store_call *call, int64_t now_ms);

/*
 * A thread that calls `say` every `interval_ms` while `call` vouches. It takes no signals. `call`
 * and `context` must outlive it.
 */
struct store_voucher;
enum status store_voucher_start(const struct store_call *call, int interval_ms,
                                void (*say)(void *context), void *context,
                                struct store_voucher **voucher, struct error *err);
void store_voucher_stop(struct store_voucher *voucher); /* NULL: nothing to stop */
