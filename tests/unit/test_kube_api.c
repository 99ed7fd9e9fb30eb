#include "k8s/client/api.h"
#include "k8s/client/api_answer.h"
#include "tests/check.h"

static const struct api_target pod = {
    .kind = API_PODS, .kube_namespace = {"training", 8}, .name = {"worker-1", 8}};
static const struct api_target pods = {.kind = API_PODS, .kube_namespace = {"training", 8}};

static void check_path(const struct http_request *request, const char *method, const char *path)
{
    CHECK(strcmp(request->method, method) == 0);
    CHECK_SLICE(text_slice(&request->path), path);
}

static void requests_name_group_namespace_and_query(void **state)
{
    struct api_target job = {.kind = API_JOBS,
                             .kube_namespace = SLICE("a/b"),
                             .name = SLICE("j"),
                             .subresource = "status"};
    struct api_target review = {.kind = API_ACCESS_REVIEWS, .kube_namespace = SLICE("training")};
    struct api_log log = {.container = "worker", .follows = true, .tail_lines = 10};
    struct http_request request;
    struct error err;
    (void)state;

    http_request_init(&request);
    CHECK_OK(api_get(&request, &job, &err));
    check_path(&request, "GET", "/apis/batch/v1/namespaces/a%2Fb/jobs/j/status");
    CHECK_OK(api_get(&request, &review, &err));
    check_path(&request, "GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
    CHECK_OK(api_list(&request, &pods, SLICE("totrain.dev/job=7"), SLICE("a&b"), &err));
    check_path(&request, "GET",
               "/api/v1/namespaces/training/pods?limit=500&labelSelector=totrain.dev%2Fjob%3D7"
               "&continue=a%26b");
    CHECK_OK(api_watch(&request, &pods, SLICE(""), SLICE("12"), &err));
    check_path(&request, "GET",
               "/api/v1/namespaces/training/pods?watch=true&allowWatchBookmarks=true"
               "&timeoutSeconds=290&resourceVersion=12");
    CHECK(request.timeout_ms > API_WATCH_S * 1000);
    CHECK_OK(api_pod_log(&request, &pod, &log, &err));
    check_path(&request, "GET",
               "/api/v1/namespaces/training/pods/worker-1/log?container=worker&follow=true"
               "&tailLines=10");
    CHECK_INT(request.timeout_ms, 0);
    http_request_deinit(&request);
}

static void bodies_say_what_is_to_be_done(void **state)
{
    struct api_deletion deletion = {.propagation = "Background", .uid = SLICE("u-1"), .grace_s = 0};
    struct http_request request;
    struct error err;
    cJSON *object = cJSON_CreateObject();
    (void)state;

    json_add_string(object, "kind", SLICE("Pod"));
    http_request_init(&request);
    CHECK_OK(api_create(&request, &pods, object, &err));
    check_path(&request, "POST", "/api/v1/namespaces/training/pods?fieldManager=totrain");
    CHECK_SLICE(text_slice(&request.body), "{\"kind\":\"Pod\"}");
    CHECK_OK(api_patch(&request, &pod, API_PATCH_STRATEGIC, object, &err));
    CHECK(strcmp(request.content_type, "application/strategic-merge-patch+json") == 0);
    CHECK_OK(api_patch(&request, &pod, API_PATCH_APPLY, object, &err));
    check_path(&request, "PATCH",
               "/api/v1/namespaces/training/pods/worker-1?fieldManager=totrain&force=true");
    CHECK_OK(api_delete(&request, &pod, &deletion, &err));
    CHECK_SLICE(text_slice(&request.body),
                "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"propagationPolicy\":"
                "\"Background\",\"gracePeriodSeconds\":0,\"preconditions\":{\"uid\":\"u-1\"}}");
    deletion = (struct api_deletion){.grace_s = -1};
    CHECK_OK(api_delete(&request, &pod, &deletion, &err));
    CHECK_SLICE(text_slice(&request.body), "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\"}");
    cJSON_Delete(object);
    http_request_deinit(&request);
}

static void a_path_that_is_too_long_is_refused(void **state)
{
    static char long_name[API_PATH_BYTES_MAX];
    struct api_target target = pods;
    struct http_request request;
    struct error err;
    (void)state;

    memset(long_name, 'a', sizeof long_name);
    target.name = (struct slice){long_name, sizeof long_name};
    http_request_init(&request);
    CHECK_FAILS(api_get(&request, &target, &err), STATUS_LIMIT, "too long");
    http_request_deinit(&request);
}

static const struct {
    int code;
    const char *body;
    enum status status;
    const char *message, *reason;
    int64_t retry_after_ms;
} answers[] = {
    {200, "{\"kind\":\"Pod\"}", STATUS_OK, "", "", -1},
    {200, "<html>", STATUS_PROTOCOL, "answer to a test: no JSON", "", -1},
    {401, "{\"reason\":\"Unauthorized\",\"message\":\"Unauthorized\"}", STATUS_PERMISSION,
     "Unauthorized", "Unauthorized", -1},
    {403, "{\"reason\":\"Forbidden\",\"message\":\"pods is forbidden: User x cannot\"}",
     STATUS_PERMISSION, "User x cannot", "Forbidden", -1},
    {403, "{\"reason\":\"Forbidden\",\"message\":\"exceeded quota: totrain\"}", STATUS_LIMIT,
     "exceeded quota", "Forbidden", -1},
    {403, "{\"reason\":\"Forbidden\",\"message\":\"status unknown for quota: totrain\"}",
     STATUS_LIMIT, "status unknown", "Forbidden", -1},
    {404, "", STATUS_NOT_FOUND, "answered 404 to a test", "", -1},
    {409, "{\"reason\":\"AlreadyExists\",\"message\":\"there\"}", STATUS_BUSY, "there",
     "AlreadyExists", -1},
    {410, "{\"reason\":\"Expired\",\"message\":\"too old\"}", STATUS_STALE, "too old", "Expired",
     -1},
    {422, "{\"reason\":\"Invalid\",\"message\":\"spec\"}", STATUS_INVALID, "spec", "Invalid", -1},
    {429,
     "{\"reason\":\"TooManyRequests\",\"message\":\"slow\",\"details\":"
     "{\"retryAfterSeconds\":2}}",
     STATUS_BUSY, "slow", "TooManyRequests", 2000},
    {413, "", STATUS_LIMIT, "413", "", -1},
    {503, "<html>", STATUS_CONNECTION, "answered 503", "", -1},
    {302, "", STATUS_PROTOCOL, "answered 302", "", -1},
    {0, "", STATUS_PROTOCOL, "answered 0", "", -1},
};

static void answers_become_an_object_or_an_error_with_the_reason(void **state)
{
    struct api_answer answer;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        enum status status = api_answer_read(answers[i].code, -1, slice_of(answers[i].body),
                                             "a test", &answer, &err);

        if (status != answers[i].status ||
            (status != STATUS_OK && !strstr(err.message, answers[i].message)))
            check_failed("%d: %s %s", answers[i].code, status_name(status), err.message);
        CHECK(strcmp(answer.reason, answers[i].reason) == 0);
        CHECK_INT(answer.retry_after_ms, answers[i].retry_after_ms);
        CHECK(!answer.object == (status != STATUS_OK));
        api_answer_deinit(&answer);
    }
}

static void what_may_pass_is_tried_again_and_the_rest_is_not(void **state)
{
    struct api_answer conflict = {.code = 409}, busy = {.code = 429}, none = {.code = 0};
    (void)state;

    CHECK(api_is_passing(STATUS_CONNECTION, &none));
    CHECK(api_is_passing(STATUS_BUSY, &busy));
    CHECK(!api_is_passing(STATUS_BUSY, &conflict));
    CHECK(!api_is_passing(STATUS_PERMISSION, &none));
}

static enum status adopt(const char *existing, const char *wanted, struct error *err)
{
    cJSON *a, *b;
    enum status status;

    CHECK(json_parse(slice_of(existing), 4096, &a, err) == STATUS_OK);
    CHECK(json_parse(slice_of(wanted), 4096, &b, err) == STATUS_OK);
    status = api_may_adopt(a, b, err);
    cJSON_Delete(a);
    cJSON_Delete(b);
    return status;
}

#define OBJECT(job, owner, more)                                                                   \
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"w\",\"labels\":{\"totrain.dev/job\":\"" job        \
    "\",\"other\":\"" owner "\"},\"ownerReferences\":[{\"uid\":\"x\"},{\"uid\":\"" owner           \
    "\",\"controller\":true}]" more "}}"

static void only_what_is_ours_is_adopted(void **state)
{
    struct error err;
    (void)state;

    CHECK_OK(adopt(OBJECT("7", "u1", ",\"uid\":\"5\""), OBJECT("7", "u1", ""), &err));
    CHECK_FAILS(adopt(OBJECT("8", "u1", ""), OBJECT("7", "u1", ""), &err), STATUS_BUSY,
                "Pod \"w\" is there already and is not ours: totrain.dev/job is \"8\"");
    CHECK_FAILS(adopt(OBJECT("7", "u2", ""), OBJECT("7", "u1", ""), &err), STATUS_BUSY,
                "belongs to another owner");
    CHECK_FAILS(adopt("{\"metadata\":{\"name\":\"w\"}}", OBJECT("7", "u1", ""), &err), STATUS_BUSY,
                "is not ours");
    CHECK_FAILS(
        adopt(OBJECT("7", "u1", ",\"deletionTimestamp\":\"now\""), OBJECT("7", "u1", ""), &err),
        STATUS_BUSY, "still being deleted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_name_group_namespace_and_query),
        cmocka_unit_test(bodies_say_what_is_to_be_done),
        cmocka_unit_test(a_path_that_is_too_long_is_refused),
        cmocka_unit_test(answers_become_an_object_or_an_error_with_the_reason),
        cmocka_unit_test(what_may_pass_is_tried_again_and_the_rest_is_not),
        cmocka_unit_test(only_what_is_ours_is_adopted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
