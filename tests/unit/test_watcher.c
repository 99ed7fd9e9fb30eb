#include "k8s/controller/watcher.h"

#include "tests/check.h"

/* The watcher's reports, one word a change: "+a/u1 ", "~a/u1 ", "-a/u1 ", "| ". */
struct fixture {
    struct watcher watcher;
    struct http_request request;
    struct text said;
};

static void on_change(void *context, enum watcher_change change, struct slice name,
                      struct slice uid, const cJSON *object)
{
    struct fixture *f = context;

    CHECK(object || change == WATCHER_DELETED);
    text_printf(&f->said, "%c%.*s/%.*s ", "+~-"[change], SLICE_FORMAT(name), SLICE_FORMAT(uid));
}

static void on_synced(void *context)
{
    struct fixture *f = context;

    text_append_string(&f->said, "| ");
}

static void begin(struct fixture *f)
{
    static const struct api_target target = {.kind = API_PODS, .kube_namespace = {"n", 1}};
    struct watcher_reader reader = {.context = f, .on_change = on_change, .on_synced = on_synced};

    watcher_init(&f->watcher, &target, SLICE("totrain.dev/job=7"), 1, &reader);
    http_request_init(&f->request);
    text_init(&f->said, 1 << 16);
}

static void end(struct fixture *f)
{
    watcher_deinit(&f->watcher);
    http_request_deinit(&f->request);
    text_deinit(&f->said);
}

static void check_said(struct fixture *f, const char *expected)
{
    CHECK_SLICE(text_slice(&f->said), expected);
    text_clear(&f->said);
}

#define OBJECT(name, uid, version)                                                                 \
    "{\"metadata\":{\"name\":\"" name "\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version "\"" \
    "}}"
#define EVENT(type, name, uid, version)                                                            \
    "{\"type\":\"" type "\",\"object\":" OBJECT(name, uid, version) "}\n"
#define LIST(version, token, items)                                                                \
    "{\"metadata\":{\"resourceVersion\":\"" version "\",\"continue\":\"" token                     \
    "\"},\"items\":[" items "]}"
#define GONE "{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}"

static bool asks_for(struct fixture *f, int64_t now_ms, const char *part)
{
    return watcher_next(&f->watcher, now_ms, &f->request) &&
           strstr(text_string(&f->request.path), part) != NULL;
}

static void answer(struct fixture *f, int64_t now_ms, int code, const char *body)
{
    watcher_on_head(&f->watcher, code, -1);
    (void)watcher_on_bytes(&f->watcher, now_ms, slice_of(body));
    watcher_on_end(&f->watcher, now_ms, STATUS_OK, NULL);
}

/* A watch that is open, on a and b at version 10. */
static void begin_watching(struct fixture *f)
{
    begin(f);
    CHECK(asks_for(f, 0, "limit=500&labelSelector=totrain.dev%2Fjob%3D7"));
    answer(f, 0, 200, LIST("10", "", OBJECT("a", "u1", "3") "," OBJECT("b", "u2", "9")));
    check_said(f, "+a/u1 +b/u2 | ");
    CHECK(asks_for(f, 0,
                   "watch=true&allowWatchBookmarks=true&timeoutSeconds=290&resourceVersion=10"));
    watcher_on_head(&f->watcher, 200, -1);
    CHECK(!watcher_problem(&f->watcher));
}

static bool stream(struct fixture *f, const char *bytes)
{
    return watcher_on_bytes(&f->watcher, 10, slice_of(bytes));
}

static void a_list_comes_in_pages_and_then_the_watch_goes_on_from_it(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f);
    CHECK(asks_for(&f, 0, "limit=500"));
    CHECK(!watcher_next(&f.watcher, 0, &f.request)); /* one call at a time */
    answer(&f, 0, 200, LIST("10", "next", OBJECT("a", "u1", "3")));
    CHECK(asks_for(&f, 0, "continue=next"));
    answer(&f, 0, 200, LIST("10", "", OBJECT("b", "u2", "9")));
    check_said(&f, "+a/u1 +b/u2 | ");
    CHECK(asks_for(&f, 0, "resourceVersion=10"));
    end(&f);
}

static void events_become_changes_whatever_the_pieces_they_come_in(void **state)
{
    static const char events[] = EVENT("MODIFIED", "a", "u1", "11") EVENT("ADDED", "c", "u3", "12")
        EVENT("DELETED", "b", "u2", "13") "\n" EVENT("BOOKMARK", "", "", "20");
    struct fixture f;
    (void)state;

    begin_watching(&f);
    for (const char *at = events; *at; at++)
        CHECK(watcher_on_bytes(&f.watcher, 10, (struct slice){at, 1}));
    check_said(&f, "~a/u1 +c/u3 -b/u2 ");
    watcher_on_end(&f.watcher, 5000, STATUS_OK, NULL); /* the server ended it: nothing is lost */
    CHECK(asks_for(&f, 5200, "resourceVersion=20"));
    end(&f);
}

static void repeated_and_late_events_say_nothing(void **state)
{
    struct fixture f;
    (void)state;

    begin_watching(&f);
    CHECK(stream(&f, EVENT("MODIFIED", "a", "u1", "12")));
    check_said(&f, "~a/u1 ");
    CHECK(stream(&f, EVENT("MODIFIED", "a", "u1", "12"))); /* again */
    CHECK(stream(&f, EVENT("MODIFIED", "a", "u1", "11"))); /* older */
    CHECK(stream(&f, EVENT("ADDED", "c", "u0", "4")));     /* before the list */
    CHECK(stream(&f, EVENT("DELETED", "b", "u2", "15")));
    check_said(&f, "-b/u2 ");
    CHECK(stream(&f, EVENT("MODIFIED", "b", "u2", "14"))); /* the object is gone */
    CHECK(stream(&f, EVENT("DELETED", "b", "u2", "15")));
    CHECK(stream(&f, EVENT("DELETED", "d", "u4", "17"))); /* before its addition */
    CHECK(stream(&f, EVENT("ADDED", "d", "u4", "16")));
    check_said(&f, "");
    end(&f);
}

static void another_object_of_the_same_name_replaces_the_first(void **state)
{
    struct fixture f;
    (void)state;

    begin_watching(&f);
    CHECK(stream(&f, EVENT("ADDED", "a", "u9", "14")));
    check_said(&f, "-a/u1 +a/u9 ");
    CHECK(stream(&f, EVENT("DELETED", "a", "u1", "13"))); /* late */
    CHECK(stream(&f, EVENT("MODIFIED", "a", "u1", "12")));
    check_said(&f, "");
    end(&f);
}

static void history_that_is_gone_is_replaced_by_a_list(void **state)
{
    struct fixture f;
    (void)state;

    for (int in_stream = 0; in_stream < 2; in_stream++) {
        begin_watching(&f);
        if (in_stream) {
            CHECK(!stream(&f, "{\"type\":\"ERROR\",\"object\":" GONE "}\n"));
            watcher_on_end(&f.watcher, 10, STATUS_LIMIT, NULL);
        } else {
            answer(&f, 10, 410, GONE);
        }
        CHECK(watcher_problem(&f.watcher)->status == STATUS_STALE);
        CHECK(asks_for(&f, 10, "limit=500")); /* at once */
        answer(&f, 10, 200, LIST("30", "", OBJECT("b", "u2", "22") "," OBJECT("c", "u3", "9")));
        check_said(&f, "~b/u2 +c/u3 -a/u1 | ");
        CHECK(asks_for(&f, 10, "resourceVersion=30"));
        watcher_on_head(&f.watcher, 200, -1);
        CHECK(!watcher_problem(&f.watcher));
        end(&f);
    }
}

static void a_token_that_expired_begins_the_list_anew(void **state)
{
    struct fixture f;
    (void)state;

    begin(&f);
    CHECK(asks_for(&f, 0, "limit=500"));
    answer(&f, 0, 200, LIST("10", "next", OBJECT("a", "u1", "3") "," OBJECT("b", "u2", "4")));
    CHECK(asks_for(&f, 0, "continue=next"));
    answer(&f, 0, 410, GONE);
    CHECK(asks_for(&f, 0, "limit=500") && !strstr(text_string(&f.request.path), "continue"));
    answer(&f, 0, 200, LIST("20", "", OBJECT("b", "u2", "4")));
    check_said(&f, "+a/u1 +b/u2 -a/u1 | ");
    end(&f);
}

static void what_breaks_a_stream_leads_to_a_list(void **state)
{
    static const char *const broken[] = {
        "garbage\n",
        "{\"type\":\"ADDED\",\"object\":{}}\n",
        "{\"type\":\"SOMETHING\",\"object\":{}}\n",
        "{\"type\":\"ERROR\",\"object\":{\"code\":500,\"message\":\"inside\"}}\n",
        "{\"type\":\"BOOKMARK\",\"object\":{}}\n",
    };
    struct error err;
    struct fixture f;
    (void)state;

    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        begin_watching(&f);
        CHECK(!stream(&f, broken[i]));
        CHECK(!stream(&f, EVENT("ADDED", "c", "u3", "12"))); /* nothing more of it counts */
        watcher_on_end(&f.watcher, 10, STATUS_LIMIT, NULL);
        CHECK(watcher_problem(&f.watcher));
        check_said(&f, "");
        CHECK(!watcher_next(&f.watcher, 10, &f.request)); /* not at once */
        CHECK(asks_for(&f, 10 + 125, "limit=500"));
        end(&f);
    }
    begin_watching(&f);
    CHECK(stream(&f, "{\"type\":"));
    watcher_on_end(&f.watcher, 10, STATUS_OK, NULL);
    CHECK(asks_for(&f, 200, "limit=500"));
    end(&f);
    begin_watching(&f);
    error_clear(&err);
    (void)fail(&err, STATUS_CONNECTION, "cut");
    watcher_on_end(&f.watcher, 10, STATUS_CONNECTION, &err);
    CHECK(strcmp(watcher_problem(&f.watcher)->message, "cut") == 0);
    CHECK(asks_for(&f, 200, "limit=500"));
    end(&f);
}

static void an_event_without_end_is_cut_off(void **state)
{
    static char block[1 << 16];
    struct fixture f;
    size_t size = 0;
    (void)state;

    memset(block, ' ', sizeof block);
    begin_watching(&f);
    while (watcher_on_bytes(&f.watcher, 10, (struct slice){block, sizeof block}))
        size += sizeof block;
    CHECK(size <= WATCHER_LINE_BYTES_MAX);
    CHECK(watcher_problem(&f.watcher)->status == STATUS_LIMIT);
    end(&f);
}

static void refusals_wait_longer_and_longer_and_as_long_as_the_server_says(void **state)
{
    struct fixture f;
    int64_t now_ms = 0, last_ms = 0;
    (void)state;

    begin(&f);
    for (int i = 0; i < 12; i++) {
        CHECK(asks_for(&f, now_ms, "limit=500"));
        answer(&f, now_ms, 503, "");
        CHECK(f.watcher.due_ms > now_ms &&
              f.watcher.due_ms <= now_ms + WATCHER_RETRY_MS_MAX * 5 / 4);
        if (i < 6) {
            CHECK(f.watcher.due_ms - now_ms > last_ms);
            last_ms = f.watcher.due_ms - now_ms;
        }
        now_ms = f.watcher.due_ms;
    }
    CHECK(asks_for(&f, now_ms, "limit=500"));
    watcher_on_head(&f.watcher, 429, 60000);
    watcher_on_end(&f.watcher, now_ms, STATUS_OK, NULL);
    CHECK_INT(f.watcher.due_ms, now_ms + 60000);
    CHECK(watcher_problem(&f.watcher)->status == STATUS_BUSY);
    end(&f);
}

static void a_watch_that_is_refused_goes_on_from_where_it_was(void **state)
{
    struct fixture f;
    (void)state;

    begin_watching(&f);
    CHECK(stream(&f, EVENT("MODIFIED", "a", "u1", "12")));
    watcher_on_end(&f.watcher, 3000, STATUS_OK, NULL);
    CHECK(asks_for(&f, 3200, "resourceVersion=12"));
    answer(&f, 3200, 429, "");
    CHECK(asks_for(&f, 4000, "resourceVersion=12"));
    end(&f);
}

static void streams_that_end_at_once_are_not_begun_without_a_pause(void **state)
{
    struct fixture f;
    (void)state;

    begin_watching(&f);
    watcher_on_end(&f.watcher, 10, STATUS_OK, NULL);
    CHECK(asks_for(&f, 200, "resourceVersion=10"));
    watcher_on_head(&f.watcher, 200, -1);
    watcher_on_end(&f.watcher, 200, STATUS_OK, NULL);
    CHECK(!watcher_next(&f.watcher, 200 + 140, &f.request));
    CHECK(asks_for(&f, 200 + 260, "resourceVersion=10"));
    end(&f);
}

static void a_cluster_restored_from_a_backup_is_believed(void **state)
{
    struct fixture f;
    (void)state;

    begin_watching(&f);
    CHECK(!stream(&f, EVENT("BOOKMARK", "", "", "5")));
    watcher_on_end(&f.watcher, 10, STATUS_LIMIT, NULL);
    CHECK(asks_for(&f, 10, "limit=500"));
    answer(&f, 10, 200, LIST("5", "", OBJECT("a", "u1", "2")));
    check_said(&f, "~a/u1 -b/u2 | ");
    CHECK(asks_for(&f, 10, "resourceVersion=5"));
    watcher_on_head(&f.watcher, 200, -1);
    CHECK(stream(&f, EVENT("MODIFIED", "a", "u1", "6")));
    check_said(&f, "~a/u1 ");
    end(&f);
}

static void lists_that_are_none_are_refused(void **state)
{
    static const char *const lists[] = {
        "[]", "{\"items\":7}", LIST("", "", ""), LIST("5", "", "{}"), "garbage",
    };
    struct fixture f;
    (void)state;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        begin(&f);
        CHECK(asks_for(&f, 0, "limit=500"));
        answer(&f, 0, 200, lists[i]);
        CHECK(watcher_problem(&f.watcher)->status == STATUS_PROTOCOL);
        CHECK(asks_for(&f, 200, "limit=500"));
        check_said(&f, "");
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_comes_in_pages_and_then_the_watch_goes_on_from_it),
        cmocka_unit_test(events_become_changes_whatever_the_pieces_they_come_in),
        cmocka_unit_test(repeated_and_late_events_say_nothing),
        cmocka_unit_test(another_object_of_the_same_name_replaces_the_first),
        cmocka_unit_test(history_that_is_gone_is_replaced_by_a_list),
        cmocka_unit_test(a_token_that_expired_begins_the_list_anew),
        cmocka_unit_test(what_breaks_a_stream_leads_to_a_list),
        cmocka_unit_test(an_event_without_end_is_cut_off),
        cmocka_unit_test(refusals_wait_longer_and_longer_and_as_long_as_the_server_says),
        cmocka_unit_test(a_watch_that_is_refused_goes_on_from_where_it_was),
        cmocka_unit_test(streams_that_end_at_once_are_not_begun_without_a_pause),
        cmocka_unit_test(a_cluster_restored_from_a_backup_is_believed),
        cmocka_unit_test(lists_that_are_none_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
