/*
 * http_exchange.h - one request and its answer without a loop: the caller waits.
 */
#pragma once

#include "k8s/client/api.h"
#include "k8s/client/api_answer.h"

struct http;

/*
 * One request and its whole answer, blocking: api_answer_read of what came.
 * `what` as there. LIMIT beyond API_ANSWER_BYTES_MAX.
 */
enum status http_exchange(struct http *http, const struct http_request *request, const char *what,
                          struct api_answer *answer, struct error *err);

/* The same, with up to `tries` attempts while the failure may pass by itself, at most 10 s apart,
 * or as the server's Retry-After demands. For requests that may be done twice. */
enum status http_exchange_again(struct http *http, const struct http_request *request,
                                const char *what, int tries, struct api_answer *answer,
                                struct error *err);

/* Creates, or takes what is there when it is ours (api_may_adopt). */
enum status http_create_or_adopt(struct http *http, const struct api_target *target,
                                 const cJSON *object, int tries, struct api_answer *answer,
                                 struct error *err);
