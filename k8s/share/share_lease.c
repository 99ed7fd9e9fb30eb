#include "k8s/share/share_lease.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/process/log.h"

void share_lease_init(struct share_lease *lease, struct slice self, uint64_t seed, bool is_central,
                      int64_t now_ms)
{
    *lease = (struct share_lease){.seed = seed, .is_central = is_central, .ticked_ms = now_ms};
    slice_copy(self, lease->self, sizeof lease->self);
}

void share_lease_deinit(struct share_lease *lease)
{
    share_decision_free(&lease->decision);
}

/* ----- what was seen ----- */

static uint64_t version_number(const char *version)
{
    int64_t number;

    return slice_to_integer(slice_of(version), &number) && number > 0 ? (uint64_t)number : 0;
}

/* A watch may bring what an answer has brought before. */
static bool is_old(const struct share_lease *lease, struct slice uid, struct slice version)
{
    char text[sizeof lease->version];
    uint64_t known = version_number(lease->version), number;

    slice_copy(version, text, sizeof text);
    number = version_number(text);
    return lease->is_there && slice_is(uid, lease->uid) && number > 0 && number < known;
}

static void forget(struct share_lease *lease)
{
    lease->is_there = false;
    lease->uid[0] = lease->version[0] = lease->holder[0] = lease->renewed[0] = '\0';
}

/* Numbers that cannot be read, and those of an older term, change nothing. */
static void take_decision(struct share_lease *lease, const cJSON *object)
{
    const struct slice text = API_TEXT(object, "metadata", "annotations", SHARE_LEASE_DECISION);
    struct share_decision read;
    struct error err;

    error_clear(&err);
    if (text.size == 0)
        return;
    if (share_decision_read(text, &read, &err) != STATUS_OK || read.term < lease->term) {
        if (err.status != STATUS_OK)
            log_warning("%s of the Lease: %s", SHARE_LEASE_DECISION, err.message);
        share_decision_free(&read);
        return;
    }
    lease->term = read.term;
    share_decision_free(&lease->decision);
    lease->decision = read;
}

void share_lease_on_object(struct share_lease *lease, int64_t now_ms, const cJSON *object)
{
    const struct slice uid = API_TEXT(object, "metadata", "uid");
    const struct slice version = API_TEXT(object, "metadata", "resourceVersion");
    const struct slice holder = API_TEXT(object, "spec", "holderIdentity");
    const struct slice renewed = API_TEXT(object, "spec", "renewTime");
    const cJSON *transitions = API_MEMBER(object, "spec", "leaseTransitions");
    bool is_another;

    lease->is_known = true;
    if (!object) {
        forget(lease);
        return;
    }
    if (is_old(lease, uid, version))
        return;
    is_another = !slice_is(uid, lease->uid);
    if (is_another) {
        lease->term = 0;
        share_decision_free(&lease->decision);
    }
    if (is_another || !slice_is(renewed, lease->renewed) || !slice_is(holder, lease->holder))
        lease->renewed_ms = now_ms;
    lease->is_there = true;
    lease->transitions = cJSON_IsNumber(transitions) ? (int64_t)transitions->valuedouble : 0;
    slice_copy(uid, lease->uid, sizeof lease->uid);
    slice_copy(version, lease->version, sizeof lease->version);
    slice_copy(holder, lease->holder, sizeof lease->holder);
    slice_copy(renewed, lease->renewed, sizeof lease->renewed);
    take_decision(lease, object);
}

/* Nothing was seen while this process did not run, so that nobody died in that time. */
bool share_lease_tick(struct share_lease *lease, int64_t now_ms)
{
    const int64_t gap = now_ms - lease->ticked_ms;

    lease->ticked_ms = now_ms;
    if (gap < SHARE_LEASE_GAP_MS)
        return false;
    lease->renewed_ms += gap;
    lease->must_read = lease->is_known;
    return true;
}

bool share_lease_is_ours(const struct share_lease *lease)
{
    return lease->is_there && !lease->must_read && strcmp(lease->holder, lease->self) == 0;
}

static int64_t silence(const struct share_lease *lease, int64_t now_ms)
{
    return now_ms - lease->renewed_ms;
}

bool share_lease_is_held(const struct share_lease *lease, int64_t now_ms)
{
    return lease->is_there && lease->holder[0] && silence(lease, now_ms) < SHARE_LEASE_DEAD_MS;
}

const struct share_decision *share_lease_decision(const struct share_lease *lease, int64_t now_ms)
{
    return lease->is_there && silence(lease, now_ms) < SHARE_LEASE_STALE_MS ? &lease->decision
                                                                            : NULL;
}

/* ----- what to do ----- */

void share_lease_leave(struct share_lease *lease)
{
    lease->is_leaving = true;
}

bool share_lease_has_left(const struct share_lease *lease)
{
    return lease->is_leaving && !lease->is_asking &&
           (!lease->is_known || lease->is_refused ||
            (!lease->must_read && strcmp(lease->holder, lease->self) != 0));
}

static bool is_central(const char *holder)
{
    return strncmp(holder, SHARE_LEASE_CENTRAL, sizeof SHARE_LEASE_CENTRAL - 1) == 0;
}

/* When this process may take a Lease that is not its own. */
static int64_t take_at(const struct share_lease *lease)
{
    if (!lease->is_there)
        return 0;
    if (!lease->holder[0])
        return lease->renewed_ms + (int64_t)(lease->seed % (SHARE_LEASE_SPREAD_MS / 8));
    if (lease->is_central && !is_central(lease->holder))
        return 0;
    return lease->renewed_ms + SHARE_LEASE_DEAD_MS + (int64_t)(lease->seed % SHARE_LEASE_SPREAD_MS);
}

static int64_t write_at(const struct share_lease *lease, bool has_news)
{
    return lease->written_ms + (has_news ? SHARE_LEASE_BETWEEN_MS : SHARE_LEASE_RENEW_MS);
}

static enum share_lease_step wait_for(enum share_lease_step step, int64_t at_ms, int64_t now_ms,
                                      int64_t *due_ms)
{
    if (at_ms <= now_ms)
        return step;
    *due_ms = at_ms < *due_ms ? at_ms : *due_ms;
    return SHARE_LEASE_NOTHING;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

enum share_lease_step share_lease_next(const struct share_lease *lease, int64_t now_ms,
                                       bool has_news, bool may_renew, int64_t *due_ms)
{
    if (lease->is_asking || !lease->is_known)
        return SHARE_LEASE_NOTHING;
    if (lease->must_read)
        return wait_for(SHARE_LEASE_READ, lease->due_ms, now_ms, due_ms);
    if (share_lease_is_ours(lease)) {
        if (lease->is_leaving)
            return wait_for(SHARE_LEASE_WRITE, lease->due_ms, now_ms, due_ms);
        if (!may_renew)
            return SHARE_LEASE_NOTHING;
        return wait_for(SHARE_LEASE_WRITE, later(write_at(lease, has_news), lease->due_ms), now_ms,
                        due_ms);
    }
    if (lease->is_leaving)
        return SHARE_LEASE_NOTHING;
    return wait_for(lease->is_there ? SHARE_LEASE_WRITE : SHARE_LEASE_CREATE,
                    later(take_at(lease), lease->due_ms), now_ms, due_ms);
}

/* ----- requests ----- */

static void add_time(cJSON *spec, const char *name, const struct timespec *clock)
{
    char text[64], seconds[32];
    struct tm utc;

    gmtime_r(&clock->tv_sec, &utc);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text, sizeof text, "%s.%06uZ", seconds, (unsigned)(clock->tv_nsec / 1000) % 1000000);
    json_add_string(spec, name, slice_of(text));
}

/* `transitions`: the term. */
static cJSON *build(const struct share_lease *lease, int64_t transitions, bool is_taken,
                    struct slice decision, const struct timespec *clock)
{
    cJSON *object = cJSON_CreateObject(), *metadata, *spec;

    json_add_string(object, "apiVersion", SLICE("coordination.k8s.io/v1"));
    json_add_string(object, "kind", SLICE("Lease"));
    metadata = json_add_object(object, "metadata");
    json_add_string(metadata, "name", SLICE(SHARE_LEASE_NAME));
    if (lease->is_there) {
        json_add_string(metadata, "uid", slice_of(lease->uid));
        json_add_string(metadata, "resourceVersion", slice_of(lease->version));
    }
    json_add_string(json_add_object(metadata, "labels"), "app.kubernetes.io/name",
                    SLICE("totrain"));
    json_add_string(json_add_object(metadata, "annotations"), SHARE_LEASE_DECISION, decision);
    spec = json_add_object(object, "spec");
    json_add_string(spec, "holderIdentity", slice_of(lease->is_leaving ? "" : lease->self));
    json_add_integer(spec, "leaseDurationSeconds", SHARE_LEASE_DEAD_MS / 1000);
    json_add_integer(spec, "leaseTransitions", transitions);
    if (is_taken)
        add_time(spec, "acquireTime", clock);
    add_time(spec, "renewTime", clock);
    return object;
}

static enum status fill(const struct share_lease *lease, const struct api_target *target,
                        const struct share_decision *decided, const struct timespec *clock,
                        struct http_request *request, struct error *err)
{
    const bool is_taken = !share_lease_is_ours(lease);
    const int64_t seen = later(lease->transitions, lease->term);
    struct share_decision decision = is_taken ? lease->decision : *decided;
    struct api_target all = *target;
    struct text text;
    enum status status;
    cJSON *object;

    decision.term = is_taken ? seen + 1 : seen;
    text_init(&text, SHARE_DECISION_BYTES_MAX);
    status = share_decision_write(&decision, &text, err);
    if (status == STATUS_OK) {
        object = build(lease, decision.term, is_taken, text_slice(&text), clock);
        all.name = SLICE("");
        status = lease->is_there ? api_replace(request, target, object, err)
                                 : api_create(request, &all, object, err);
        cJSON_Delete(object);
    }
    text_deinit(&text);
    return status;
}

enum status share_lease_ask(struct share_lease *lease, int64_t now_ms, enum share_lease_step step,
                            const struct api_target *target, const struct share_decision *decided,
                            const struct timespec *clock, struct http_request *request,
                            struct error *err)
{
    if (step == SHARE_LEASE_READ)
        TRY(api_get(request, target, err));
    else
        TRY(fill(lease, target, decided, clock, request, err));
    request->timeout_ms = SHARE_LEASE_RENEW_MS;
    lease->is_asking = true;
    lease->asked_ms = now_ms;
    return STATUS_OK;
}

void share_lease_on_answer(struct share_lease *lease, int64_t now_ms, enum share_lease_step step,
                           enum status status, const struct api_answer *answer)
{
    lease->is_asking = false;
    lease->is_refused = status == STATUS_PERMISSION;
    lease->due_ms = status == STATUS_OK ? 0 : now_ms + SHARE_LEASE_RETRY_MS;
    if (status == STATUS_OK) {
        lease->must_read = false;
        if (step == SHARE_LEASE_READ) /* also after a backup, whose versions are lower */
            lease->version[0] = '\0';
        share_lease_on_object(lease, now_ms, answer->object);
        if (step != SHARE_LEASE_READ)
            lease->written_ms = lease->asked_ms;
    } else if (status == STATUS_NOT_FOUND && step != SHARE_LEASE_CREATE) {
        lease->must_read = false;
        share_lease_on_object(lease, now_ms, NULL);
    } else if (status == STATUS_PERMISSION) {
        lease->due_ms = now_ms + SHARE_LEASE_REFUSED_MS;
    } else {
        /* Somebody else was first, or the write was done and the answer lost. */
        lease->must_read = true;
        if (status == STATUS_BUSY && answer->code == 409)
            lease->due_ms = 0;
    }
}
