/*
 * exchange.h - one request in the loop, and its whole answer.
 *
 *     exchange_start --> under way --> on_answer(OK, the object)
 *                         ^     |
 *                         +-----+  a failure that may pass: again, a little later
 *
 * The same as http_exchange_again, without blocking.
 */
#pragma once

#include "k8s/client/api_answer.h"
#include "k8s/loop/client.h"

struct exchange_reader {
    void *context;
    /* Once, not after exchange_cancel, and not from within exchange_start: status, answer and err
     * as http_exchange has them. The answer is freed afterwards; a reader that needs its object
     * takes it out. The exchange has been freed: others may be started, the client may not be
     * closed. */
    void (*on_answer)(void *context, enum status status, struct api_answer *answer,
                      const struct error *err);
};

struct exchange;

/* Takes what `request` holds, also when it fails. `what` is static. At least one of `tries`. */
enum status exchange_start(struct loop *loop, struct client *client, struct http_request *request,
                           const char *what, int tries, const struct exchange_reader *reader,
                           struct exchange **exchange, struct error *err);
void exchange_cancel(struct exchange *exchange); /* NULL: nothing */
