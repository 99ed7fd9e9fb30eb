#include "k8s/client/api_answer.h"

#include <stdio.h>
#include <string.h>

#include "k8s/client/api.h"

#define RETRY_AFTER_S_MAX 3600

const cJSON *api_member(const cJSON *object, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count && object; i++)
        object = cJSON_GetObjectItemCaseSensitive(object, names[i]);
    return object;
}

struct slice api_text(const cJSON *value)
{
    return slice_of(cJSON_IsString(value) ? value->valuestring : "");
}

const cJSON *api_condition(const cJSON *object, const char *type)
{
    const cJSON *condition, *conditions = API_MEMBER(object, "status", "conditions");

    cJSON_ArrayForEach(condition, conditions)
    {
        if (slice_is(API_TEXT(condition, "type"), type))
            return condition;
    }
    return NULL;
}

void api_answer_deinit(struct api_answer *answer)
{
    cJSON_Delete(answer->object);
    answer->object = NULL;
}

bool api_is_of_quota(struct slice message)
{
    static const char *const texts[] = {"exceeded quota", "status unknown for quota"};

    for (size_t i = 0; message.size > 0 && i < 2; i++)
        if (memmem(message.data, message.size, texts[i], strlen(texts[i])))
            return true;
    return false;
}

static enum status status_of(int code, struct slice reason, struct slice message)
{
    switch (code) {
    case 400:
    case 422:
        return STATUS_INVALID;
    case 401:
        return STATUS_PERMISSION;
    case 403: /* a quota is refused the same way as a right that is missing */
        return api_is_of_quota(message) ? STATUS_LIMIT : STATUS_PERMISSION;
    case 404:
        return STATUS_NOT_FOUND;
    case 409:
    case 429:
        return STATUS_BUSY;
    case 410:
        return STATUS_STALE;
    case 413:
        return STATUS_LIMIT;
    default:
        if (slice_is(reason, "Expired") || slice_is(reason, "Gone"))
            return STATUS_STALE;
        return code >= 500 && code <= 599 ? STATUS_CONNECTION : STATUS_PROTOCOL;
    }
}

static void add_hint(int code, struct error *err)
{
    if (code == 401)
        error_hint(err, "The API server does not accept these credentials; they may have expired.");
    else if (code == 403 && err->status == STATUS_PERMISSION)
        error_hint(err, "totrain k8s rbac prints the rights that are needed, totrain k8s check "
                        "tests them.");
}

/* The error that a Status object describes; `object` may be NULL or anything else. */
static enum status take_status(int code, const cJSON *object, const char *what,
                               struct api_answer *answer, struct error *err)
{
    struct slice reason = API_TEXT(object, "reason"), message = API_TEXT(object, "message");
    const cJSON *seconds = API_MEMBER(object, "details", "retryAfterSeconds");
    enum status status = status_of(code, reason, message);

    snprintf(answer->reason, sizeof answer->reason, "%.*s",
             (int)(reason.size < API_REASON_MAX ? reason.size : API_REASON_MAX - 1), reason.data);
    if (cJSON_IsNumber(seconds) && seconds->valuedouble > 0 && answer->retry_after_ms < 0)
        answer->retry_after_ms =
            1000 * (int64_t)(seconds->valuedouble < RETRY_AFTER_S_MAX ? seconds->valuedouble
                                                                      : RETRY_AFTER_S_MAX);
    if (message.size > 0)
        fail(err, status, "%.*s", (int)(message.size < 480 ? message.size : 480), message.data);
    else
        fail(err, status, "the API server answered %d to %s", code, what);
    add_hint(code, err);
    return status;
}

enum status api_status_read(const cJSON *object, struct api_answer *answer, struct error *err)
{
    const cJSON *code = API_MEMBER(object, "code");

    answer->code = cJSON_IsNumber(code) && code->valuedouble >= 400 && code->valuedouble < 600
                       ? (int)code->valuedouble
                       : 500;
    answer->retry_after_ms = -1;
    return take_status(answer->code, object, "a watch", answer, err);
}

enum status api_answer_read(int code, int64_t retry_after_ms, struct slice body, const char *what,
                            struct api_answer *answer, struct error *err)
{
    struct error inner;
    cJSON *object = NULL;
    enum status status = STATUS_OK;

    *answer = (struct api_answer){.code = code, .retry_after_ms = retry_after_ms};
    if (body.size > 0)
        status = json_parse(body, API_ANSWER_BYTES_MAX, &object, &inner);
    if (code < 200 || code > 299) { /* also where a proxy answers in HTML */
        status = take_status(code, object, what, answer, err);
        cJSON_Delete(object);
        return status;
    }
    if (status != STATUS_OK)
        return fail(err, status == STATUS_NO_MEMORY ? status : STATUS_PROTOCOL,
                    "the API server's answer to %s: %s", what, inner.message);
    answer->object = object;
    return STATUS_OK;
}

bool api_is_passing(enum status status, const struct api_answer *answer)
{
    return status == STATUS_CONNECTION || (status == STATUS_BUSY && answer->code == 429);
}

static bool is_owned_by(const cJSON *object, struct slice uid)
{
    const cJSON *owner, *owners = API_MEMBER(object, "metadata", "ownerReferences");

    cJSON_ArrayForEach(owner, owners) if (slice_equal(API_TEXT(owner, "uid"), uid)) return true;
    return false;
}

static bool has_owners_of(const cJSON *object, const cJSON *other)
{
    const cJSON *owner, *owners = API_MEMBER(other, "metadata", "ownerReferences");

    cJSON_ArrayForEach(owner,
                       owners) if (!is_owned_by(object, API_TEXT(owner, "uid"))) return false;
    return true;
}

enum status api_may_adopt(const cJSON *existing, const cJSON *wanted, struct error *err)
{
    const cJSON *label, *labels = API_MEMBER(wanted, "metadata", "labels");
    struct slice name = API_TEXT(wanted, "metadata", "name");

    cJSON_ArrayForEach(label, labels)
    {
        struct slice other = API_TEXT(existing, "metadata", "labels", label->string);

        if (strncmp(label->string, "totrain.dev/", 12) == 0 && !slice_equal(api_text(label), other))
            return fail(err, STATUS_BUSY,
                        "%.*s \"%.*s\" is there already and is not ours: %s is \"%.*s\"",
                        SLICE_FORMAT(API_TEXT(wanted, "kind")), SLICE_FORMAT(name), label->string,
                        SLICE_FORMAT(other));
    }
    if (!has_owners_of(existing, wanted))
        return fail(err, STATUS_BUSY, "%.*s \"%.*s\" is there already and belongs to another owner",
                    SLICE_FORMAT(API_TEXT(wanted, "kind")), SLICE_FORMAT(name));
    if (API_MEMBER(existing, "metadata", "deletionTimestamp"))
        return fail(err, STATUS_BUSY, "%.*s \"%.*s\" of before is still being deleted",
                    SLICE_FORMAT(API_TEXT(wanted, "kind")), SLICE_FORMAT(name));
    return STATUS_OK;
}
