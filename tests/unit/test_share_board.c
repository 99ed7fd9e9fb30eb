#include "k8s/share/share_board_decide.h"

#include "k8s/objects/manifest.h"
#include "k8s/share/share_metrics.h"
#include "tests/check.h"

static struct error err; /* the last check's */

struct table {
    struct share_board *board;
    bool is_ours[SHARE_BOARD_SPACES];
    int64_t now_ms, due_ms;
};

static void open_table(struct table *table)
{
    memset(table, 0, sizeof *table);
    table->now_ms = 1000;
    table->is_ours[0] = true;
    CHECK_OK(share_board_new(SHARE_EVEN, &table->board, &err));
}

static void close_table(struct table *table)
{
    share_board_free(table->board);
}

static struct share_job use(uint32_t least, uint32_t most)
{
    return (struct share_job){.least = least,
                              .most = most,
                              .worker = {.millis = 1000, .bytes = 1 << 20},
                              .rest = {.millis = 100, .bytes = 1 << 20},
                              .rest_count = 1,
                              .seconds_left = -1};
}

/* `second`: of its creation; `more`: further members of the object, behind a comma, or nothing. */
static void put_job(struct table *table, const char *uid, int second, const struct share_job *job,
                    const char *more)
{
    struct text report, object;
    cJSON *json, *metadata;
    char created[32];

    text_init(&report, SHARE_REPORT_BYTES_MAX);
    text_init(&object, TEXT_MAXIMUM);
    CHECK_OK(share_report_write(job, &report, &err));
    text_printf(&object, "{\"metadata\":{\"name\":\"%s\",\"annotations\":{}}%s}", uid, more);
    CHECK_OK(json_parse(text_slice(&object), JSON_BYTES_MAX, &json, &err));
    metadata = cJSON_GetObjectItem(json, "metadata");
    snprintf(created, sizeof created, "2026-11-30T00:00:%02dZ", second);
    json_add_string(metadata, "creationTimestamp", slice_of(created));
    json_add_string(cJSON_GetObjectItem(metadata, "annotations"), MANIFEST_USE,
                    text_slice(&report));
    if (strstr(more, "suspend"))
        json_add_string(cJSON_GetObjectItem(metadata, "annotations"), SHARE_BOARD_RESTS,
                        SLICE("quota"));
    CHECK_OK(share_board_on_job(table->board, table->now_ms, 0, slice_of(uid), json, &err));
    cJSON_Delete(json);
    text_deinit(&report);
    text_deinit(&object);
}

static void put_object(struct table *table, const char *uid, const char *text,
                       enum status (*put)(struct share_board *, size_t, struct slice, const cJSON *,
                                          struct error *))
{
    cJSON *json;

    CHECK_OK(json_parse(slice_of(text), JSON_BYTES_MAX, &json, &err));
    CHECK_OK(put(table->board, 0, slice_of(uid), json, &err));
    cJSON_Delete(json);
}

static enum status put_node_object(struct share_board *board, size_t space, struct slice uid,
                                   const cJSON *object, struct error *why)
{
    (void)space;
    return share_board_on_node(board, uid, object, why);
}

static void put_node(struct table *table, const char *name, int processors, const char *spec)
{
    char text[512];

    snprintf(
        text, sizeof text,
        "{\"metadata\":{\"name\":\"%s\"},\"spec\":{%s},\"status\":{\"allocatable\":{\"cpu\":\"%d\","
        "\"memory\":\"8Gi\"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
        name, spec, processors);
    put_object(table, name, text, put_node_object);
}

/* `job` NULL: it is none of ours; `node` NULL: the scheduler finds none. */
static void put_pod(struct table *table, const char *uid, const char *job, const char *role,
                    const char *cpu, const char *node)
{
    char text[1024], owner[128] = "", place[256];
    cJSON *json;

    if (job)
        snprintf(owner, sizeof owner, "\"ownerReferences\":[{\"kind\":\"Job\",\"uid\":\"%s\"}],",
                 job);
    if (node)
        snprintf(place, sizeof place, "\"phase\":\"Running\"");
    else
        snprintf(
            place, sizeof place,
            "\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\","
            "\"reason\":\"Unschedulable\"}]");
    snprintf(
        text, sizeof text,
        "{\"metadata\":{%s\"labels\":{\"totrain.dev/role\":\"%s\"}},\"spec\":{\"nodeName\":\"%s\","
        "\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"%s\",\"memory\":\"1Mi\"}}}]},"
        "\"status\":{%s}}",
        owner, role, node ? node : "", cpu, place);
    CHECK_OK(json_parse(slice_of(text), JSON_BYTES_MAX, &json, &err));
    CHECK_OK(share_board_on_pod(table->board, table->now_ms, 0, slice_of(uid), json, &err));
    cJSON_Delete(json);
}

static uint32_t decided(struct table *table, const char *uid)
{
    const struct share_decision decision = share_board_decision(table->board, table->now_ms, 0);
    const struct share_decided *found = share_decision_find(&decision, uid);

    return found ? found->workers : 99;
}

static void decide(struct table *table)
{
    CHECK_OK(share_board_decide(table->board, table->now_ms, table->is_ours, &table->due_ms, &err));
    CHECK(table->due_ms > table->now_ms);
}

/* ----- nodes that are seen ----- */

static void jobs_that_have_not_ended_are_told_to_prometheus(void **state)
{
    const struct slice names[] = {SLICE("training"), SLICE("shop")};
    struct share_job job = use(1, 4);
    struct table table;
    struct text page;
    (void)state;

    open_table(&table);
    text_init(&page, TEXT_MAXIMUM);
    job.seconds_left = 90;
    put_job(&table, "first", 1, &job, "");
    put_pod(&table, "worker", "first", "worker", "1", "node");
    job.seconds_left = -1;
    put_job(&table, "second", 2, &job, "");
    put_job(&table, "third", 3, &job, ",\"spec\":{\"suspend\":true}");
    put_job(&table, "gone", 4, &job,
            ",\"status\":{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}");
    share_metrics_write(table.board, names, 2, &page);
    CHECK(!strstr(text_string(&page), "workers_decided{"));
    decide(&table);
    text_clear(&page);
    share_metrics_write(table.board, names, 2, &page);
    CHECK(strstr(text_string(&page), "totrain_jobs{namespace=\"training\",state=\"running\"} 1\n"));
    CHECK(strstr(text_string(&page), "totrain_jobs{namespace=\"training\",state=\"waiting\"} 1\n"));
    CHECK(strstr(text_string(&page), "totrain_jobs{namespace=\"training\",state=\"resting\"} 1\n"));
    CHECK(strstr(text_string(&page), "totrain_jobs{namespace=\"shop\",state=\"running\"} 0\n"));
    CHECK(strstr(text_string(&page),
                 "totrain_job_workers{namespace=\"training\",job=\"first\"} 1\n"));
    CHECK(strstr(text_string(&page),
                 "totrain_job_workers_most{namespace=\"training\",job=\"second\"} 4"));
    CHECK(strstr(text_string(&page),
                 "totrain_job_left_seconds{namespace=\"training\",job=\"first\"} 90\n"));
    CHECK(!strstr(text_string(&page),
                  "totrain_job_left_seconds{namespace=\"training\",job=\"second\"}"));
    CHECK(!strstr(text_string(&page), "gone"));
    text_clear(&page);
    share_metrics_write(table.board, names, 1, &page);
    CHECK(strstr(text_string(&page), "workers_decided{namespace=\"training\",job=\"first\"}"));
    CHECK(!strstr(text_string(&page), "shop"));
    text_deinit(&page);
    close_table(&table);
}

static void the_room_is_what_others_leave_of_the_nodes(void **state)
{
    const struct share_job job = use(1, 10);
    struct table table;
    (void)state;

    open_table(&table);
    share_board_see_nodes(table.board, true);
    put_node(&table, "n1", 4, "");
    put_node(&table, "n2", 4, "");
    put_node(&table, "drained", 64, "\"unschedulable\":true");
    put_node(&table, "tainted", 64, "\"taints\":[{\"key\":\"gpu\",\"effect\":\"NoSchedule\"}]");
    put_pod(&table, "service", NULL, "", "2500m", "n1");
    put_job(&table, "a", 1, &job, "");
    put_job(&table, "b", 2, &job, "");
    decide(&table);
    CHECK_INT(decided(&table, "a") + decided(&table, "b"), 5);
    /* It goes: its place is taken at once. */
    CHECK_OK(share_board_on_pod(table.board, table.now_ms, 0, SLICE("service"), NULL, &err));
    decide(&table);
    CHECK_INT(decided(&table, "a") + decided(&table, "b"), 7);
    CHECK_OK(share_board_on_node(table.board, SLICE("n2"), NULL, &err));
    decide(&table);
    CHECK_INT(decided(&table, "a") + decided(&table, "b"), 3);
    close_table(&table);
}

static void a_job_alone_has_all_and_the_users_number_is_its_own(void **state)
{
    struct share_job job = use(1, 10);
    struct table table;
    (void)state;

    open_table(&table);
    share_board_see_nodes(table.board, true);
    put_node(&table, "n1", 2, "");
    put_job(&table, "a", 1, &job, "");
    decide(&table);
    CHECK_INT(decided(&table, "a"), 10);
    job.pinned = 3;
    put_job(&table, "a", 1, &job, "");
    decide(&table);
    CHECK_INT(decided(&table, "a"), 3);
    close_table(&table);
}

static void who_has_ended_or_leaves_has_no_part(void **state)
{
    const struct share_job job = use(1, 10);
    struct table table;
    (void)state;

    open_table(&table);
    share_board_see_nodes(table.board, true);
    put_node(&table, "n1", 8, "");
    put_job(&table, "a", 1, &job, "");
    put_job(&table, "b", 2, &job, "");
    put_job(&table, "c", 3, &job,
            ",\"status\":{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}");
    decide(&table);
    CHECK_INT(decided(&table, "c"), 99);
    CHECK_INT(decided(&table, "a") + decided(&table, "b"), 7);
    share_board_leave(table.board, SLICE("a"));
    decide(&table);
    CHECK_INT(decided(&table, "a"), 99);
    CHECK_INT(decided(&table, "b"), 10);
    CHECK_OK(share_board_on_job(table.board, table.now_ms, 0, SLICE("b"), NULL, &err));
    CHECK_INT(decided(&table, "b"), 99);
    close_table(&table);
}

/* ----- nodes that are not seen ----- */

static void put_running(struct table *table, const char *job, uint32_t from, uint32_t to)
{
    char uid[32];

    snprintf(uid, sizeof uid, "%s-master", job);
    put_pod(table, uid, job, "master", "100m", "n");
    for (uint32_t i = from; i < to; i++) {
        snprintf(uid, sizeof uid, "%s-%u", job, i);
        put_pod(table, uid, job, "worker", "1", "n");
    }
}

static void what_finds_no_place_is_taken_back_and_tried_again_later(void **state)
{
    const struct share_job job = use(1, 4);
    struct table table;
    (void)state;

    open_table(&table);
    put_job(&table, "a", 1, &job, "");
    put_job(&table, "b", 2, &job, "");
    decide(&table);
    CHECK_INT(decided(&table, "a") + decided(&table, "b"), 8); /* nothing is known of a shortage */
    put_running(&table, "a", 0, 4);
    put_running(&table, "b", 0, 1);
    put_pod(&table, "b-1", "b", "worker", "1", NULL);
    decide(&table);
    CHECK_INT(decided(&table, "a") + decided(&table, "b"), 8);
    table.now_ms += SHARE_ROOM_SHORT_MS;
    decide(&table);
    CHECK_INT(decided(&table, "a") + decided(&table, "b"), 5);
    CHECK_OK(share_board_on_pod(table.board, table.now_ms, 0, SLICE("b-1"), NULL, &err));
    table.now_ms += SHARE_ROOM_REST_MS / 2;
    decide(&table);
    CHECK_INT(decided(&table, "a") + decided(&table, "b"), 5);
    table.now_ms += SHARE_ROOM_REST_MS;
    decide(&table);
    CHECK_INT(decided(&table, "a") + decided(&table, "b"), 6);
    close_table(&table);
}

static void places_that_a_shortage_took_are_tried_again_as_a_whole(void **state)
{
    const struct share_job job = use(1, 4);
    struct table table;
    (void)state;

    open_table(&table);
    put_job(&table, "a", 1, &job, "");
    put_job(&table, "b", 2, &job, "");
    put_running(&table, "a", 0, 4);
    put_running(&table, "b", 0, 4);
    decide(&table);
    for (int i = 0; i < 4; i++) { /* a service has their places */
        static const char *const gone[] = {"a-2", "a-3", "b-2", "b-3"};

        CHECK_OK(share_board_on_pod(table.board, table.now_ms, 0, slice_of(gone[i]), NULL, &err));
    }
    put_pod(&table, "b-2", "b", "worker", "1", NULL);
    decide(&table);
    table.now_ms += SHARE_ROOM_SHORT_MS;
    decide(&table);
    CHECK_INT(decided(&table, "a") + decided(&table, "b"), 4);
    CHECK_OK(share_board_on_pod(table.board, table.now_ms, 0, SLICE("b-2"), NULL, &err));
    table.now_ms += SHARE_ROOM_REST_MS;
    decide(&table);
    CHECK_INT(decided(&table, "a") + decided(&table, "b"), 8);
    close_table(&table);
}

static void minimums_come_at_once_and_a_later_holder_is_careful(void **state)
{
    struct share_decided before[] = {{.uid = "a", .workers = 4}, {.uid = "b", .workers = 1}};
    const struct share_decision decision = {.term = 3, .jobs = before, .count = 2};
    const struct share_job job = use(1, 4);
    struct table table;
    (void)state;

    open_table(&table);
    put_job(&table, "a", 1, &job, "");
    put_job(&table, "b", 2, &job, "");
    share_board_take(table.board, table.now_ms, 0, &decision);
    put_running(&table, "a", 0, 4);
    put_running(&table, "b", 0, 1);
    put_job(&table, "c", 3, &job, "");
    decide(&table);
    CHECK(decided(&table, "c") >= 1);
    CHECK(decided(&table, "a") + decided(&table, "b") + decided(&table, "c") <= 7);
    CHECK(share_board_has_news(table.board, 0, &decision));
    close_table(&table);
}

/* A master of `job`, some workers with a place, and some for which there is none. */
static void put_waiting(struct table *table, const char *job, uint32_t placed, uint32_t all)
{
    char uid[32];

    snprintf(uid, sizeof uid, "%s-master", job);
    put_pod(table, uid, job, "master", "100m", "n");
    for (uint32_t i = 0; i < all; i++) {
        snprintf(uid, sizeof uid, "%s-%u", job, i);
        put_pod(table, uid, job, "worker", "10m", i < placed ? "n" : NULL);
    }
}

/* Six slots, of which no board knows: workers are small, and a master is as large as ten of them.
 */
static void places_of_masters_are_none_for_workers(void **state)
{
    struct share_job job = use(4, 6);
    struct table table;
    (void)state;

    job.worker = (struct share_size){.millis = 10};
    job.rest.bytes = 0;
    open_table(&table);
    put_job(&table, "a", 1, &job, "");
    put_job(&table, "b", 2, &job, "");
    put_job(&table, "c", 3, &job, "");
    put_waiting(&table, "a", 3, 6);
    put_waiting(&table, "b", 3, 6);
    put_waiting(&table, "c", 0, 0);
    decide(&table);
    table.now_ms += SHARE_ROOM_SHORT_MS;
    decide(&table);
    CHECK_INT(decided(&table, "a"), 6);
    CHECK_INT(decided(&table, "b") + decided(&table, "c"), 0);
    /* The first one has all six; the end of another's master is no room for more. */
    put_waiting(&table, "a", 6, 6);
    for (int i = 0; i < 6; i++) {
        char uid[8];

        snprintf(uid, sizeof uid, "b-%d", i);
        CHECK_OK(share_board_on_pod(table.board, table.now_ms, 0, slice_of(uid), NULL, &err));
    }
    CHECK_OK(share_board_on_pod(table.board, table.now_ms, 0, SLICE("c-master"), NULL, &err));
    put_job(&table, "c", 3, &job,
            ",\"status\":{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}");
    decide(&table);
    CHECK_INT(decided(&table, "a"), 6);
    CHECK_INT(decided(&table, "b"), 0);
    close_table(&table);
}

/* Ten jobs come into room that is known and go again: all of it is there for workers as before. */
static void jobs_that_come_and_go_leave_the_room_as_it_was(void **state)
{
    struct share_room room = {.again_ms = 100000}; /* nothing is tried */
    struct share_held held = {.size = {10000, 0}};
    (void)state;

    (void)share_room_note(&room, 1, &held);
    held.size.millis = 5000;
    (void)share_room_note(&room, 2, &held);
    for (int i = 0; i < 10; i++) {
        held.size.millis += 100;
        held.rest.millis += 100;
        (void)share_room_note(&room, 3, &held);
        held.size.millis -= 100;
        held.rest.millis -= 100;
        (void)share_room_note(&room, 4, &held);
    }
    CHECK_INT(share_room_size(&room).millis, 10000);
    held.size.millis = 10100; /* a place that is known by a master alone goes with it */
    held.rest.millis = 100;
    (void)share_room_note(&room, 5, &held);
    CHECK_INT(share_room_size(&room).millis, 10100);
    held = (struct share_held){.size = {5000, 0}};
    (void)share_room_note(&room, 6, &held);
    CHECK_INT(share_room_size(&room).millis, 10000);
}

static void a_master_that_waits_has_its_place_on_a_node(void **state)
{
    struct share_job job = use(1, 8);
    struct table table;
    (void)state;

    open_table(&table);
    share_board_see_nodes(table.board, true);
    put_node(&table, "n", 3, "");
    put_job(&table, "a", 1, &job, "");
    job.rest.millis = 1500;
    put_job(&table, "b", 2, &job, "");
    put_pod(&table, "a-master", "a", "master", "100m", "n");
    put_pod(&table, "b-master", "b", "master", "1500m", "n");
    decide(&table);
    CHECK_INT(decided(&table, "a"), 1);
    CHECK_INT(decided(&table, "b"), 0);
    close_table(&table);
}

/* ----- quotas ----- */

static void masters_rest_that_a_quota_has_no_room_for(void **state)
{
    const struct share_job job = use(1, 4);
    struct share_rest rest;
    struct table table;
    (void)state;

    open_table(&table);
    put_object(&table, "q",
               "{\"spec\":{},\"status\":{\"hard\":{\"pods\":\"4\",\"requests.cpu\":\"100\"},"
               "\"used\":{\"pods\":\"3\",\"requests.cpu\":\"300m\"}}}",
               share_board_on_quota);
    put_object(&table, "scoped",
               "{\"spec\":{\"scopes\":[\"BestEffort\"]},\"status\":{\"hard\":{\"pods\":"
               "\"0\"}}}",
               share_board_on_quota);
    for (int i = 0; i < 3; i++) {
        const char *const names[] = {"a", "b", "c"};

        put_job(&table, names[i], i, &job, "");
        put_running(&table, names[i], 0, 0);
    }
    decide(&table);
    CHECK_INT(decided(&table, "a"), 1);
    CHECK_INT(decided(&table, "b"), 1);
    CHECK_INT(decided(&table, "c"), 0);
    CHECK(share_board_rest(table.board, table.is_ours, &rest));
    CHECK(strcmp(rest.name, "c") == 0);
    CHECK(rest.must_rest);
    put_job(&table, "c", 2, &job, ",\"spec\":{\"suspend\":true}");
    CHECK_OK(share_board_on_pod(table.board, table.now_ms, 0, SLICE("c-master"), NULL, &err));
    CHECK(!share_board_rest(table.board, table.is_ours, &rest));
    /* One ends: it goes on. */
    CHECK_OK(share_board_on_pod(table.board, table.now_ms, 0, SLICE("a-master"), NULL, &err));
    CHECK_OK(share_board_on_job(table.board, table.now_ms, 0, SLICE("a"), NULL, &err));
    put_object(&table, "q", "{\"status\":{\"hard\":{\"pods\":\"4\"},\"used\":{\"pods\":\"1\"}}}",
               share_board_on_quota);
    decide(&table);
    CHECK_INT(decided(&table, "c"), 1);
    CHECK(share_board_rest(table.board, table.is_ours, &rest));
    CHECK(!rest.must_rest);
    close_table(&table);
}

static void a_holder_that_leaves_lets_all_go_on(void **state)
{
    const struct share_job job = use(1, 4);
    struct share_rest rest;
    struct table table;
    (void)state;

    open_table(&table);
    put_object(&table, "q",
               "{\"spec\":{},\"status\":{\"hard\":{\"pods\":\"3\"},\"used\":{\"pods\":\"2\"}}}",
               share_board_on_quota);
    put_job(&table, "a", 0, &job, "");
    put_running(&table, "a", 0, 0);
    put_job(&table, "b", 1, &job, "");
    put_running(&table, "b", 0, 0);
    decide(&table);
    CHECK(share_board_rest(table.board, table.is_ours, &rest));
    CHECK(rest.must_rest);
    put_job(&table, "b", 1, &job, ",\"spec\":{\"suspend\":true}");
    CHECK(!share_board_rest(table.board, table.is_ours, &rest));
    share_board_leave(table.board, SLICE("a"));
    CHECK(share_board_rest(table.board, table.is_ours, &rest));
    CHECK(!rest.must_rest);
    close_table(&table);
}

static void what_is_no_report_is_no_job(void **state)
{
    struct table table;
    cJSON *json;
    (void)state;

    open_table(&table);
    CHECK_OK(json_parse(SLICE("{\"metadata\":{\"annotations\":{\"totrain.dev/use\":\"{}\"}}}"),
                        JSON_BYTES_MAX, &json, &err));
    CHECK_OK(share_board_on_job(table.board, 0, 0, SLICE("a"), json, &err));
    decide(&table);
    CHECK_INT(decided(&table, "a"), 99);
    CHECK_OK(share_board_on_node(table.board, SLICE("a"), json, &err));
    CHECK_FAILS(share_board_on_pod(table.board, 0, 0, SLICE(""), json, &err), STATUS_LIMIT,
                "a uid of 0 bytes");
    cJSON_Delete(json);
    close_table(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_that_have_not_ended_are_told_to_prometheus),
        cmocka_unit_test(the_room_is_what_others_leave_of_the_nodes),
        cmocka_unit_test(a_job_alone_has_all_and_the_users_number_is_its_own),
        cmocka_unit_test(who_has_ended_or_leaves_has_no_part),
        cmocka_unit_test(what_finds_no_place_is_taken_back_and_tried_again_later),
        cmocka_unit_test(places_that_a_shortage_took_are_tried_again_as_a_whole),
        cmocka_unit_test(minimums_come_at_once_and_a_later_holder_is_careful),
        cmocka_unit_test(places_of_masters_are_none_for_workers),
        cmocka_unit_test(jobs_that_come_and_go_leave_the_room_as_it_was),
        cmocka_unit_test(a_master_that_waits_has_its_place_on_a_node),
        cmocka_unit_test(masters_rest_that_a_quota_has_no_room_for),
        cmocka_unit_test(a_holder_that_leaves_lets_all_go_on),
        cmocka_unit_test(what_is_no_report_is_no_job),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
