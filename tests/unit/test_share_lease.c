#include "k8s/share/share_lease.h"

#include "tests/check.h"

#define VERSION_MAX 32

static const struct api_target target = {.kind = API_LEASES,
                                         .kube_namespace = {"training", 8},
                                         .name = {SHARE_LEASE_NAME, sizeof SHARE_LEASE_NAME - 1}};
static const struct timespec clock_of_people = {.tv_sec = 1796000000, .tv_nsec = 1234000};

static cJSON *lease_object(const char *holder, int version, int term, const char *decision)
{
    cJSON *object = cJSON_CreateObject(), *metadata = json_add_object(object, "metadata"), *spec;
    char text[VERSION_MAX];

    snprintf(text, sizeof text, "%d", version);
    json_add_string(metadata, "uid", SLICE("u"));
    json_add_string(metadata, "resourceVersion", slice_of(text));
    json_add_string(json_add_object(metadata, "annotations"), SHARE_LEASE_DECISION,
                    slice_of(decision));
    spec = json_add_object(object, "spec");
    json_add_string(spec, "holderIdentity", slice_of(holder));
    json_add_integer(spec, "leaseTransitions", term);
    json_add_string(spec, "renewTime", slice_of(text));
    return object;
}

static void see(struct share_lease *lease, int64_t now_ms, const char *holder, int version,
                int term, const char *decision)
{
    cJSON *object = lease_object(holder, version, term, decision);

    share_lease_on_object(lease, now_ms, object);
    cJSON_Delete(object);
}

static enum share_lease_step next(const struct share_lease *lease, int64_t now_ms)
{
    int64_t due_ms = INT64_MAX;

    return share_lease_next(lease, now_ms, false, true, &due_ms);
}

/* The request of this step, as JSON; the answer is left to the caller. */
static cJSON *ask(struct share_lease *lease, int64_t now_ms, enum share_lease_step step,
                  const char *method)
{
    struct share_decided jobs[] = {{.uid = "a", .workers = 3, .seconds = 4}};
    const struct share_decision decision = {.jobs = jobs, .count = 1};
    struct http_request request;
    struct error err;
    cJSON *json = NULL;

    http_request_init(&request);
    CHECK_OK(
        share_lease_ask(lease, now_ms, step, &target, &decision, &clock_of_people, &request, &err));
    CHECK(strcmp(request.method, method) == 0);
    if (request.body.size > 0)
        CHECK_OK(json_parse(text_slice(&request.body), JSON_BYTES_MAX, &json, &err));
    http_request_deinit(&request);
    return json;
}

static void answer(struct share_lease *lease, int64_t now_ms, enum share_lease_step step,
                   enum status status, int code, cJSON *object)
{
    struct api_answer got = {.code = code, .object = object, .retry_after_ms = -1};

    share_lease_on_answer(lease, now_ms, step, status, &got);
    cJSON_Delete(object);
}

static void one_that_is_not_there_is_made(void **state)
{
    struct share_lease lease;
    cJSON *body;
    (void)state;

    share_lease_init(&lease, SLICE("me"), 0, false, 0);
    CHECK(next(&lease, 0) == SHARE_LEASE_NOTHING); /* not before it was looked for */
    share_lease_on_object(&lease, 0, NULL);
    CHECK(next(&lease, 0) == SHARE_LEASE_CREATE);
    body = ask(&lease, 0, SHARE_LEASE_CREATE, "POST");
    CHECK(slice_is(API_TEXT(body, "spec", "holderIdentity"), "me"));
    CHECK(slice_is(API_TEXT(body, "metadata", "annotations", SHARE_LEASE_DECISION),
                   "{\"term\":1,\"jobs\":{}}"));
    CHECK(slice_is(API_TEXT(body, "spec", "renewTime"), "2026-11-30T00:53:20.001234Z"));
    cJSON_Delete(body);
    CHECK(next(&lease, 0) == SHARE_LEASE_NOTHING); /* one request at a time */
    answer(&lease, 10, SHARE_LEASE_CREATE, STATUS_OK, 201,
           lease_object("me", 5, 1, "{\"term\":1,\"jobs\":{}}"));
    CHECK(share_lease_is_ours(&lease));
    CHECK(next(&lease, SHARE_LEASE_RENEW_MS - 1) == SHARE_LEASE_NOTHING);
    CHECK(next(&lease, SHARE_LEASE_RENEW_MS) == SHARE_LEASE_WRITE);
    body = ask(&lease, SHARE_LEASE_RENEW_MS, SHARE_LEASE_WRITE, "PUT");
    CHECK(slice_is(API_TEXT(body, "metadata", "resourceVersion"), "5"));
    CHECK(slice_is(API_TEXT(body, "metadata", "annotations", SHARE_LEASE_DECISION),
                   "{\"term\":1,\"jobs\":{\"a\":[3,4]}}"));
    cJSON_Delete(body);
    share_lease_deinit(&lease);
}

static void a_dead_holder_is_followed_and_its_numbers_stay(void **state)
{
    struct share_lease lease;
    cJSON *body;
    (void)state;

    share_lease_init(&lease, SLICE("me"), 0, false, 0);
    see(&lease, 100, "other", 7, 4, "{\"term\":4,\"jobs\":{\"a\":[2,9]}}");
    CHECK(share_lease_is_held(&lease, 100));
    CHECK(next(&lease, 100 + SHARE_LEASE_DEAD_MS - 1) == SHARE_LEASE_NOTHING);
    see(&lease, 5000, "other", 8, 4, "{\"term\":4,\"jobs\":{\"a\":[2,14]}}"); /* renewed */
    CHECK(next(&lease, 5000 + SHARE_LEASE_DEAD_MS - 1) == SHARE_LEASE_NOTHING);
    CHECK(next(&lease, 5000 + SHARE_LEASE_DEAD_MS) == SHARE_LEASE_WRITE);
    body = ask(&lease, 20000, SHARE_LEASE_WRITE, "PUT");
    CHECK(slice_is(API_TEXT(body, "metadata", "annotations", SHARE_LEASE_DECISION),
                   "{\"term\":5,\"jobs\":{\"a\":[2,14]}}"));
    CHECK(API_MEMBER(body, "spec", "acquireTime") != NULL);
    cJSON_Delete(body);
    /* Somebody else was first. */
    answer(&lease, 20010, SHARE_LEASE_WRITE, STATUS_BUSY, 409, NULL);
    CHECK(next(&lease, 20010) == SHARE_LEASE_READ);
    CHECK(ask(&lease, 20010, SHARE_LEASE_READ, "GET") == NULL);
    answer(&lease, 20020, SHARE_LEASE_READ, STATUS_OK, 200,
           lease_object("third", 9, 5, "{\"term\":5,\"jobs\":{\"a\":[2,15]}}"));
    CHECK(!share_lease_is_ours(&lease));
    CHECK(next(&lease, 20020) == SHARE_LEASE_NOTHING);
    share_lease_deinit(&lease);
}

static void numbers_of_an_older_term_and_old_versions_do_not_count(void **state)
{
    struct share_lease lease;
    (void)state;

    share_lease_init(&lease, SLICE("me"), 0, false, 0);
    see(&lease, 0, "other", 7, 4, "{\"term\":4,\"jobs\":{\"a\":[2,9]}}");
    see(&lease, 0, "frozen", 8, 4, "{\"term\":3,\"jobs\":{\"a\":[9,9]}}");
    CHECK_INT(share_lease_decision(&lease, 0)->jobs[0].workers, 2);
    see(&lease, 0, "other", 6, 5,
        "{\"term\":5,\"jobs\":{\"a\":[8,9]}}"); /* an event that came late */
    CHECK_INT(share_lease_decision(&lease, 0)->jobs[0].workers, 2);
    see(&lease, 0, "other", 9, 5, "no JSON");
    CHECK_INT(share_lease_decision(&lease, 0)->jobs[0].workers, 2);
    CHECK(share_lease_decision(&lease, SHARE_LEASE_STALE_MS) == NULL);
    share_lease_deinit(&lease);
}

static void who_was_frozen_reads_before_it_writes(void **state)
{
    struct share_lease lease;
    (void)state;

    share_lease_init(&lease, SLICE("me"), 0, false, 0);
    see(&lease, 0, "me", 7, 4, "{\"term\":4,\"jobs\":{}}");
    CHECK(!share_lease_tick(&lease, 1000));
    CHECK(share_lease_tick(&lease, 1000 + 30000));
    CHECK(!share_lease_is_ours(&lease));
    CHECK(next(&lease, 31000) == SHARE_LEASE_READ);
    /* It has not seen anybody die meanwhile. */
    CHECK(share_lease_decision(&lease, 31000) != NULL);
    share_lease_deinit(&lease);
}

static void a_leaving_holder_says_so_and_the_next_takes_over_at_once(void **state)
{
    struct share_lease lease;
    cJSON *body;
    (void)state;

    share_lease_init(&lease, SLICE("me"), 0, false, 0);
    see(&lease, 0, "me", 7, 4, "{\"term\":4,\"jobs\":{}}");
    share_lease_leave(&lease);
    CHECK(!share_lease_has_left(&lease));
    CHECK(next(&lease, 0) == SHARE_LEASE_WRITE);
    body = ask(&lease, 0, SHARE_LEASE_WRITE, "PUT");
    CHECK(slice_is(API_TEXT(body, "spec", "holderIdentity"), ""));
    cJSON_Delete(body);
    answer(&lease, 0, SHARE_LEASE_WRITE, STATUS_OK, 200,
           lease_object("", 8, 4, "{\"term\":4,\"jobs\":{}}"));
    CHECK(share_lease_has_left(&lease));
    CHECK(next(&lease, INT64_MAX / 2) == SHARE_LEASE_NOTHING);
    share_lease_deinit(&lease);

    share_lease_init(&lease, SLICE("next"), 0, false, 0);
    see(&lease, 50, "", 8, 4, "{\"term\":4,\"jobs\":{}}");
    CHECK(next(&lease, 50) == SHARE_LEASE_WRITE);
    share_lease_deinit(&lease);
}

static void masters_give_way_to_a_central_sharer(void **state)
{
    struct share_lease lease;
    (void)state;

    share_lease_init(&lease, SLICE(SHARE_LEASE_CENTRAL "x"), 0, true, 0);
    see(&lease, 0, "master", 7, 4, "{\"term\":4,\"jobs\":{}}");
    CHECK(next(&lease, 0) == SHARE_LEASE_WRITE);
    see(&lease, 0, SHARE_LEASE_CENTRAL "other", 8, 5, "{\"term\":5,\"jobs\":{}}");
    CHECK(next(&lease, 0) == SHARE_LEASE_NOTHING);
    share_lease_deinit(&lease);
}

static void a_right_that_is_missing_ends_the_asking(void **state)
{
    struct share_lease lease;
    (void)state;

    share_lease_init(&lease, SLICE("me"), 0, false, 0);
    share_lease_on_object(&lease, 0, NULL);
    cJSON_Delete(ask(&lease, 0, SHARE_LEASE_CREATE, "POST"));
    answer(&lease, 0, SHARE_LEASE_CREATE, STATUS_PERMISSION, 403, NULL);
    CHECK(lease.is_refused);
    CHECK(next(&lease, SHARE_LEASE_REFUSED_MS - 1) == SHARE_LEASE_NOTHING);
    share_lease_leave(&lease);
    CHECK(share_lease_has_left(&lease));
    share_lease_deinit(&lease);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_is_not_there_is_made),
        cmocka_unit_test(a_dead_holder_is_followed_and_its_numbers_stay),
        cmocka_unit_test(numbers_of_an_older_term_and_old_versions_do_not_count),
        cmocka_unit_test(who_was_frozen_reads_before_it_writes),
        cmocka_unit_test(a_leaving_holder_says_so_and_the_next_takes_over_at_once),
        cmocka_unit_test(masters_give_way_to_a_central_sharer),
        cmocka_unit_test(a_right_that_is_missing_ends_the_asking),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
