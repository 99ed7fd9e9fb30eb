#include "k8s/controller/kube_events.h"

#include "tests/check.h"

#define NOON ((int64_t)1795348800) /* 2026-11-22T12:00:00Z */

struct fixture {
    struct kube_job job;
    struct kube_events events;
    struct http_request request;
    int64_t now_ms, due_ms;
};

static void begin(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    f->job = (struct kube_job){.name = SLICE("churn"), .kube_namespace = SLICE("training")};
    kube_events_init(&f->events, &f->job, SLICE("u-1"), SLICE("churn-abcde"));
    http_request_init(&f->request);
}

static void end(struct fixture *f)
{
    http_request_deinit(&f->request);
}

static struct kube_moment now(const struct fixture *f)
{
    return (struct kube_moment){f->now_ms, NOON * 1000000 + f->now_ms * 1000};
}

static void a_moment_is_to_the_microsecond(void **state)
{
    const struct timespec clock = {.tv_sec = NOON, .tv_nsec = 999999999};
    const struct kube_moment moment = kube_moment_of(7, &clock);
    (void)state;

    CHECK_INT(moment.ms, 7);
    CHECK_INT(moment.us, NOON * 1000000 + 999999);
}

static void lose(struct fixture *f, unsigned worker)
{
    const struct kube_moment moment = now(f);

    kube_events_note(&f->events, &moment, true, "WorkerLost", "worker %u is lost", worker);
}

static bool next(struct fixture *f)
{
    f->due_ms = INT64_MAX;
    return kube_events_next(&f->events, f->now_ms, &f->request, &f->due_ms);
}

static bool body_has(const struct fixture *f, const char *text)
{
    return memmem(f->request.body.data, f->request.body.size, text, strlen(text)) != NULL;
}

static bool path_has(const struct fixture *f, const char *text)
{
    return memmem(f->request.path.data, f->request.path.size, text, strlen(text)) != NULL;
}

static bool creates(struct fixture *f)
{
    return next(f) && strcmp(f->request.method, "POST") == 0;
}

static bool patches(struct fixture *f)
{
    return next(f) && strcmp(f->request.method, "PATCH") == 0;
}

static bool answer(struct fixture *f, enum status status, int code)
{
    return kube_events_on_answer(&f->events, status, code);
}

static void the_first_is_created_at_once(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f);
    CHECK(!next(&f));
    CHECK_INT(f.due_ms, INT64_MAX);
    lose(&f, 3);
    CHECK(creates(&f));
    CHECK(path_has(&f, "/api/v1/namespaces/training/events"));
    CHECK(body_has(&f, "\"message\":\"worker 3 is lost\",\"count\":1,"
                       "\"lastTimestamp\":\"2026-11-22T12:00:00Z\""));
    CHECK(body_has(&f, "\"type\":\"Warning\",\"reason\":\"WorkerLost\""));
    CHECK(body_has(&f, "\"involvedObject\":{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":"
                       "\"churn\",\"namespace\":\"training\",\"uid\":\"u-1\"}"));
    CHECK(body_has(&f, "\"reportingInstance\":\"churn-abcde\""));
    CHECK(!kube_events_are_drained(&f.events));
    CHECK(!answer(&f, STATUS_OK, 201));
    CHECK(kube_events_are_drained(&f.events));
    CHECK(!next(&f));
    end(&f);
}

static void what_differs_in_numbers_alone_is_counted(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f);
    lose(&f, 3);
    CHECK(creates(&f));
    lose(&f, 5); /* while it is being told of */
    CHECK(!next(&f));
    CHECK(!answer(&f, STATUS_OK, 201));
    f.now_ms = 100;
    lose(&f, 12);
    CHECK(!next(&f));
    CHECK_INT(f.due_ms, KUBE_EVENTS_EVERY_MS);
    f.now_ms = KUBE_EVENTS_EVERY_MS;
    CHECK(patches(&f));
    CHECK(path_has(&f, "/events/churn."));
    CHECK(body_has(&f, "{\"message\":\"worker 12 is lost\",\"count\":3,"));
    CHECK(!answer(&f, STATUS_OK, 200));
    CHECK(!next(&f));
    end(&f);
}

static void another_reason_is_another_one(void **state)
{
    struct fixture f;
    struct kube_moment moment;
    (void)state;

    begin(&f);
    moment = now(&f);
    lose(&f, 1);
    kube_events_note(&f.events, &moment, false, "Scaled", "from %u to %u", 4, 2);
    CHECK(creates(&f));
    CHECK(!next(&f)); /* one at a time, in their order */
    CHECK(!answer(&f, STATUS_OK, 201));
    CHECK(creates(&f));
    CHECK(body_has(&f, "\"type\":\"Normal\",\"reason\":\"Scaled\""));
    CHECK(!answer(&f, STATUS_OK, 201));
    end(&f);
}

/* Many different ones: a few at once, then three a minute, and all that is left at the end. */
static void there_are_never_many(void **state)
{
    struct fixture f;
    struct kube_moment moment;
    size_t said = 0, letters = 0;
    (void)state;

    begin(&f);
    for (f.now_ms = 0; f.now_ms < 600000; f.now_ms += 1000) {
        moment = now(&f);
        kube_events_note(&f.events, &moment, true, "Odd", "%c%c", (char)('a' + letters % 4),
                         (char)('a' + letters / 4 % 4));
        letters++;
        for (; next(&f); said++)
            CHECK(!answer(&f, STATUS_OK, 200));
    }
    CHECK_INT(said, KUBE_EVENTS_BURST + 600000 / KUBE_EVENTS_REFILL_MS - 1);
    CHECK(!kube_events_are_drained(&f.events));
    kube_events_flush(&f.events);
    for (; next(&f); said++)
        CHECK(!answer(&f, STATUS_OK, 200));
    CHECK(kube_events_are_drained(&f.events));
    CHECK(said < KUBE_EVENTS_BURST + 600000 / KUBE_EVENTS_REFILL_MS + KUBE_EVENTS_MAX);
    end(&f);
}

static void what_is_refused_is_dropped_and_complained_of_once(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f);
    lose(&f, 1);
    CHECK(creates(&f));
    CHECK(answer(&f, STATUS_PERMISSION, 403));
    CHECK(kube_events_are_drained(&f.events));
    f.now_ms = KUBE_EVENTS_EVERY_MS;
    CHECK(!next(&f));
    lose(&f, 2);
    CHECK(creates(&f)); /* it is not there yet */
    CHECK(body_has(&f, "\"count\":2"));
    CHECK(!answer(&f, STATUS_BUSY, 429));
    f.now_ms *= 2;
    lose(&f, 2);
    CHECK(creates(&f));
    CHECK(!answer(&f, STATUS_BUSY, 409)); /* an answer got lost: it is there */
    f.now_ms *= 2;
    lose(&f, 2);
    CHECK(patches(&f));
    CHECK(!answer(&f, STATUS_CONNECTION, 500));
    CHECK(kube_events_are_drained(&f.events));
    end(&f);
}

static void one_that_was_cancelled_is_told_with_all_that_came_since(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f);
    lose(&f, 2);
    CHECK(creates(&f));
    kube_events_on_cancel(&f.events); /* the cluster has taken it */
    lose(&f, 4);
    kube_events_flush(&f.events);
    CHECK(creates(&f));
    CHECK(!answer(&f, STATUS_BUSY, 409));
    CHECK(!kube_events_are_drained(&f.events));
    CHECK(patches(&f));
    CHECK(body_has(&f, "{\"message\":\"worker 4 is lost\",\"count\":2,"));
    CHECK(!answer(&f, STATUS_OK, 200));
    CHECK(kube_events_are_drained(&f.events));
    end(&f);
}

static void one_that_the_cluster_has_forgotten_begins_anew(void **state)
{
    struct fixture f;
    char name[160];
    (void)state;

    begin(&f);
    lose(&f, 1);
    CHECK(creates(&f));
    CHECK(!answer(&f, STATUS_OK, 201));
    memcpy(name, f.events.events[0].name, sizeof name);
    f.now_ms = 7200000;
    lose(&f, 1);
    lose(&f, 2);
    CHECK(patches(&f));
    CHECK(!answer(&f, STATUS_NOT_FOUND, 404));
    f.now_ms += KUBE_EVENTS_EVERY_MS;
    CHECK(creates(&f));
    CHECK(body_has(&f, "\"count\":2"));
    CHECK(body_has(&f, "\"firstTimestamp\":\"2026-11-22T14:00:00Z\""));
    CHECK(!body_has(&f, name));
    CHECK(!answer(&f, STATUS_OK, 201));
    end(&f);
}

static void a_request_that_was_given_up_is_made_again(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f);
    lose(&f, 1);
    CHECK(creates(&f));
    kube_events_on_cancel(&f.events);
    CHECK(!kube_events_are_drained(&f.events));
    kube_events_flush(&f.events);
    CHECK(creates(&f));
    CHECK(!answer(&f, STATUS_OK, 201));
    kube_events_on_cancel(&f.events);
    CHECK(kube_events_are_drained(&f.events));
    end(&f);
}

static void a_long_message_is_cut_and_the_oldest_is_forgotten(void **state)
{
    struct fixture f;
    struct kube_moment moment;
    char text[2 * KUBE_EVENT_MESSAGE_MAX];
    (void)state;

    begin(&f);
    moment = now(&f);
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    kube_events_note(&f.events, &moment, true, "Odd", "%s", text);
    CHECK_INT(strlen(f.events.events[0].message), KUBE_EVENT_MESSAGE_MAX - 1);
    for (int i = 0; i < 2 * KUBE_EVENTS_MAX; i++)
        kube_events_note(&f.events, &moment, true, "Odd", "%.*s", i, text);
    CHECK_INT(f.events.count, KUBE_EVENTS_MAX);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moment_is_to_the_microsecond),
        cmocka_unit_test(the_first_is_created_at_once),
        cmocka_unit_test(what_differs_in_numbers_alone_is_counted),
        cmocka_unit_test(another_reason_is_another_one),
        cmocka_unit_test(there_are_never_many),
        cmocka_unit_test(what_is_refused_is_dropped_and_complained_of_once),
        cmocka_unit_test(one_that_was_cancelled_is_told_with_all_that_came_since),
        cmocka_unit_test(one_that_the_cluster_has_forgotten_begins_anew),
        cmocka_unit_test(a_request_that_was_given_up_is_made_again),
        cmocka_unit_test(a_long_message_is_cut_and_the_oldest_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
