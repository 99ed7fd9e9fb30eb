/*
 * api_answer.h - an answer of the API: an object, or an error with the server's reason.
 */
#pragma once

#include "base/json.h"

#define API_REASON_MAX 64

struct api_answer {
    int code;                    /* HTTP */
    cJSON *object;               /* NULL after an error; json of a success with no body: NULL */
    char reason[API_REASON_MAX]; /* an error's reason: "AlreadyExists"; may be empty */
    int64_t retry_after_ms;      /* -1: not given */
};

/*
 * Judges an answer with this HTTP code: OK with the object, which the caller frees with
 * api_answer_deinit; otherwise the server's message with
 *
 *     PERMISSION  401, 403        NOT_FOUND  404       BUSY        409, 429
 *     STALE       410             INVALID    400, 422  CONNECTION  5xx
 *     LIMIT       413, a quota    PROTOCOL   anything else
 *
 * retry_after_ms: of the HTTP head, -1 where it has none; a Status object may have a
 * longer one. `what` was requested ("create pods"), for answers without a message.
 */
enum status api_answer_read(int code, int64_t retry_after_ms, struct slice body, const char *what,
                            struct api_answer *answer, struct error *err);
void api_answer_deinit(struct api_answer *answer);

/* Judges the same code and object inside a stream, as an ERROR event. */
enum status api_status_read(const cJSON *object, struct api_answer *answer, struct error *err);

/* Refused for a quota, and not for a right: it is used up, or so new that nobody has counted yet.
 */
bool api_is_of_quota(struct slice message);

/* Worth another try as it is: 429, 5xx, a connection that failed. */
bool api_is_passing(enum status status, const struct api_answer *answer);

/*
 * Whether an existing object may be taken for the one that was to be created: it must
 * have every label totrain.dev/... of ours with the same value, the same owners, and
 * must not be under deletion. BUSY with the reason where it may not.
 */
enum status api_may_adopt(const cJSON *existing, const cJSON *wanted, struct error *err);

/* A path of member names into an object, NULL where there is nothing. */
const cJSON *api_member(const cJSON *object, const char *const *names, size_t count);
#define API_MEMBER(object, ...)                                                                    \
    api_member((object), (const char *const[]){__VA_ARGS__},                                       \
               sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
/* Its text; empty where there is none. Borrowed. */
#define API_TEXT(object, ...) api_text(API_MEMBER((object), __VA_ARGS__))
struct slice api_text(const cJSON *value);
/* The condition of this type in the object's status, whatever it says; NULL: there is none. */
const cJSON *api_condition(const cJSON *object, const char *type);
