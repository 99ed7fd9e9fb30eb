#include <stdio.h>
#include <stdlib.h>

#include "console/job_board.h"
#include "console/json_rows.h"
#include "console/request.h"
#include "console/score.h"
#include "tests/check.h"

static const struct console_secrets secrets = {"00112233445566778899aabbccddeeff",
                                               "ffeeddccbbaa99887766554433221100"};

#define TOKEN "/00112233445566778899aabbccddeeff"
#define HOST  "127.0.0.1:8080"

/* The status of a GET of this address. */
static int get(const char *target, struct console_request *request)
{
    const struct console_given given = {.target = slice_of(target), .host = SLICE(HOST)};

    return console_request_read(&given, &secrets, request);
}

static int get_from(const char *host)
{
    const struct console_given given = {.target = SLICE(TOKEN "/"), .host = slice_of(host)};
    struct console_request request;

    return console_request_read(&given, &secrets, &request);
}

static int post(const char *target, const char *origin, const char *csrf, const char *body,
                struct console_request *request)
{
    const struct console_given given = {
        true, slice_of(target), SLICE(HOST), slice_of(origin), slice_of(csrf), slice_of(body)};

    return console_request_read(&given, &secrets, request);
}

static void each_path_is_a_call(void **state)
{
    static const struct {
        const char *target;
        enum console_call call;
    } calls[] = {
        {TOKEN "/", CONSOLE_PAGE},
        {TOKEN, CONSOLE_PAGE},
        {TOKEN "/console.js", CONSOLE_SCRIPT},
        {TOKEN "/console.css", CONSOLE_SHEET},
        {TOKEN "/icon.svg", CONSOLE_ICON},
        {TOKEN "/stream", CONSOLE_STREAM},
        {TOKEN "/jobs?since=7", CONSOLE_JOBS},
        {TOKEN "/job?id=3&events=1&metrics=2", CONSOLE_JOB},
        {TOKEN "/log?id=3&from=9", CONSOLE_LOG},
        {TOKEN "/models", CONSOLE_MODELS},
        {TOKEN "/model?name=m", CONSOLE_MODEL},
        {TOKEN "/picture?name=m&kind=roc&theme=dark", CONSOLE_PICTURE},
        {TOKEN "/report?name=m", CONSOLE_REPORT},
    };
    struct console_request request;
    (void)state;

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        CHECK_INT(get(calls[i].target, &request), 200);
        CHECK_INT(request.call, calls[i].call);
    }
    CHECK_INT(get(TOKEN "/nothing", &request), 404);
    CHECK_INT(get(TOKEN "/jobs/", &request), 404);
}

static void arguments_are_decoded_and_bounded(void **state)
{
    struct console_request request;
    char target[2 * CONSOLE_NAME_MAX];
    (void)state;

    CHECK_INT(get(TOKEN "/job?id=12&events=34&metrics=56&owner=a%20b%2Bc+d", &request), 200);
    CHECK_INT(request.id, 12);
    CHECK_INT(request.events, 34);
    CHECK_INT(request.metrics, 56);
    CHECK_SLICE(slice_of(request.owner), "a b+c d");
    CHECK_INT(get(TOKEN "/model?name=%3Cscript%3E%C3%9f", &request), 200);
    CHECK_SLICE(slice_of(request.name), "<script>\xc3\x9f");
    static const char *const wrong[] = {
        "/job",
        "/job?id=0",
        "/job?id=-1",
        "/job?id=x",
        "/job?id=1&events=-1",
        "/job?ids=1",
        "/job?id",
        "/model",
        "/model?name=",
        "/model?name=%",
        "/model?name=%4",
        "/model?name=%zz",
        "/model?name=%00",
        "/model?name=%ff",
        "/log?id=1&from=99999999999999999999",
        "/jobs?since=1&since=1&since=1&since=1&since=1&since=1&since=1&since=1&since=1"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(target, sizeof target, TOKEN "%s", wrong[i]);
        CHECK_INT(get(target, &request), 400);
    }
    snprintf(target, sizeof target, TOKEN "/model?name=%0*d", CONSOLE_NAME_MAX, 1);
    CHECK_INT(get(target, &request), 200);
    snprintf(target, sizeof target, TOKEN "/model?name=%0*d", CONSOLE_NAME_MAX + 1, 1);
    CHECK_INT(get(target, &request), 400);
}

static void without_the_token_there_is_nothing(void **state)
{
    struct console_request request;
    (void)state;

    CHECK_INT(get("/", &request), 404);
    CHECK_INT(get("/favicon.ico", &request), 404);
    CHECK_INT(get("/00112233445566778899aabbccddeefe/", &request), 404);
    CHECK_INT(get("/00112233445566778899aabbccddeeff0/", &request), 404);
    CHECK_INT(get("/00112233/", &request), 404);
    CHECK_INT(get("/nothing" TOKEN "/", &request), 404);
    CHECK_INT(get("", &request), 400);
    CHECK_INT(get("http://127.0.0.1:8080" TOKEN "/", &request), 400);
}

static void a_name_that_leads_here_is_a_strangers(void **state)
{
    (void)state;
    CHECK_INT(get_from("127.0.0.1"), 200);
    CHECK_INT(get_from("localhost:1"), 200);
    CHECK_INT(get_from("LocalHost:65535"), 200);
    CHECK_INT(get_from("[::1]:8080"), 200);
    CHECK_INT(get_from(""), 403);
    CHECK_INT(get_from("evil.example:8080"), 403);
    CHECK_INT(get_from("localhost.evil.example"), 403);
    CHECK_INT(get_from("127.0.0.1.evil.example:8080"), 403);
    CHECK_INT(get_from("localhost:"), 403);
    CHECK_INT(get_from("localhost:80x"), 403);
    CHECK_INT(get_from("evil.example@localhost"), 403);
}

static void changes_need_their_own_token_and_page(void **state)
{
    const char *own = "http://" HOST;
    struct console_request request;
    (void)state;

    CHECK_INT(post(TOKEN "/cancel", own, secrets.csrf, "id=3", &request), 200);
    CHECK_INT(request.call, CONSOLE_CANCEL);
    CHECK_INT(request.id, 3);
    CHECK_INT(post(TOKEN "/scale", own, secrets.csrf, "id=3&workers=5", &request), 200);
    CHECK_INT(request.workers, 5);
    CHECK_INT(post(TOKEN "/scale", own, secrets.csrf, "id=3&servers=2", &request), 200);
    CHECK_INT(post(TOKEN "/cancel", own, "", "id=3", &request), 403);
    CHECK_INT(post(TOKEN "/cancel", own, secrets.token, "id=3", &request), 403);
    CHECK_INT(post(TOKEN "/cancel", "", secrets.csrf, "id=3", &request), 403);
    CHECK_INT(post(TOKEN "/cancel", "null", secrets.csrf, "id=3", &request), 403);
    CHECK_INT(post(TOKEN "/cancel", "http://evil.example", secrets.csrf, "id=3", &request), 403);
    CHECK_INT(post(TOKEN "/cancel", "http://127.0.0.1:8081", secrets.csrf, "id=3", &request), 403);
    CHECK_INT(post(TOKEN "/scale", own, secrets.csrf, "id=3", &request), 400);
    CHECK_INT(post(TOKEN "/scale", own, secrets.csrf, "id=3&workers=0", &request), 400);
    CHECK_INT(post(TOKEN "/scale", own, secrets.csrf, "id=3&workers=1000001", &request), 400);
    CHECK_INT(post(TOKEN "/cancel?id=3", own, secrets.csrf, "", &request), 400);
    CHECK_INT(post(TOKEN "/jobs", own, secrets.csrf, "", &request), 405);
    CHECK_INT(get(TOKEN "/cancel?id=3", &request), 405);
    CHECK_INT(post("/wrong/cancel", own, secrets.csrf, "id=3", &request), 404);
}

static void strings_of_json_are_whole(void **state)
{
    const struct cell cells[] = {{.type = CELL_INTEGER, .integer = -3},
                                 {.type = CELL_REAL, .real = 0.5},
                                 {.type = CELL_REAL, .real = 1.0 / 0.0},
                                 {.type = CELL_TEXT, .text = {"a\"\\\n\x01\xff<b>\xc3\x9f", 11}},
                                 {.type = CELL_NULL}};
    struct json_rows rows = {.skip = 1, .most = 1};
    struct sink sink;
    struct text out;
    struct error err;
    (void)state;

    text_init(&out, TEXT_MAXIMUM);
    json_append_cells(&out, cells, 5);
    CHECK_SLICE(text_slice(&out),
                "[-3,0.5,null,\"a\\\"\\\\\\u000a\\u0001\xef\xbf\xbd<b>\xc3\x9f\",null]");
    text_clear(&out);
    rows.out = &out;
    sink = json_rows_sink(&rows);
    for (size_t i = 0; i < 3; i++)
        CHECK_OK(sink_row(&sink, &cells[i], 1, &err));
    CHECK_SLICE(text_slice(&out), "[0.5]");
    CHECK_INT(rows.count, 3);
    text_deinit(&out);
}

static void put(struct job_board *board, const char *owner, int64_t id, const char *state)
{
    const struct cell cells[] = {owner ? (struct cell){.type = CELL_TEXT, .text = slice_of(owner)}
                                       : (struct cell){.type = CELL_NULL},
                                 {.type = CELL_INTEGER, .integer = id},
                                 {.type = CELL_TEXT, .text = slice_of(state)}};
    struct error err;

    CHECK_OK(board_put(board, cells, 3, &err));
}

static void check_board(const struct job_board *board, uint64_t since, const char *expected)
{
    static const char *const columns[] = {"owner", "id", "state"};
    struct text out;

    text_init(&out, TEXT_MAXIMUM);
    board_print(board, since, columns, 3, &out);
    if (!strstr(text_string(&out), expected))
        check_failed("%s is not in %s", expected, text_string(&out));
    text_deinit(&out);
}

static void a_page_gets_the_jobs_that_changed(void **state)
{
    struct job_board *board;
    struct error err;
    uint64_t version;
    (void)state;

    CHECK_OK(board_new(&board, &err));
    board_begin(board);
    put(board, NULL, 1, "running");
    put(board, "bob", 1, "done");
    board_end(board);
    version = board_version(board);
    check_board(board, 0, "\"all\":true");
    check_board(board, 0, "\"rows\":[\n[null,1,\"running\"],\n[\"bob\",1,\"done\"]]");
    check_board(board, version, "\"rows\":[]");
    board_begin(board);
    put(board, NULL, 1, "done");
    put(board, "bob", 1, "done");
    board_end(board);
    check_board(board, version, "\"all\":false");
    check_board(board, version, "\"rows\":[\n[null,1,\"done\"]]");
    CHECK_SLICE(board_job(board, SLICE("bob"), 1), "[\"bob\",1,\"done\"]");
    CHECK_INT(board_job(board, SLICE("bob"), 2).size, 0);
    version = board_version(board);
    board_begin(board);
    put(board, "bob", 1, "done");
    board_end(board);
    check_board(board, version, "\"all\":true");
    check_board(board, version, "\"rows\":[\n[\"bob\",1,\"done\"]]");
    check_board(board, 1000, "\"all\":true");
    board_fail(board, "the \"server\" is gone");
    check_board(board, 0, "\"error\":\"the \\\"server\\\" is gone\"");
    version = board_version(board);
    board_fail(board, "the \"server\" is gone");
    CHECK_INT(board_version(board), version);
    board_fail(board, NULL);
    check_board(board, 0, "\"error\":null");
    board_free(board);
}

static void a_board_has_a_limit(void **state)
{
    const struct cell cells[] = {{.type = CELL_NULL},
                                 {.type = CELL_INTEGER, .integer = BOARD_JOBS_MAX + 1}};
    struct job_board *board;
    struct error err;
    (void)state;

    CHECK_OK(board_new(&board, &err));
    board_begin(board);
    for (int64_t id = 1; id <= BOARD_JOBS_MAX; id++)
        put(board, NULL, id, "done");
    CHECK_FAILS(board_put(board, cells, 2, &err), STATUS_LIMIT, "more than the 5000 jobs");
    board_free(board);
}

static void check_score(const char *statement, const char *expected)
{
    struct text out;

    text_init(&out, TEXT_MAXIMUM);
    score_append(slice_of(statement), &out);
    CHECK_SLICE(text_slice(&out), expected);
    text_deinit(&out);
}

static void a_score_has_the_name_that_the_statement_fixes(void **state)
{
    (void)state;
    check_score("SELECT * FROM t TO TRAIN DNNClassifier LABEL \"a\"\"b\" INTO m",
                "{\"name\":\"accuracy\",\"label\":\"a\\\"b\"}");
    check_score("SELECT * FROM t TO TRAIN LinearRegressor WITH epoch = 3 LABEL price INTO m;",
                "{\"name\":\"RMSE\",\"label\":\"price\"}");
    check_score("SELECT * FROM t TO TRAIN KMeans INTO m", "{\"name\":\"score\",\"label\":null}");
    check_score("SELECT * FROM t TO TRAIN XGBRanker WITH train.group = 'q' LABEL y INTO m",
                "{\"name\":\"score\",\"label\":\"y\"}");
    check_score(
        "SELECT * FROM t TO TRAIN XGBRegressor WITH objective = 'count:poisson' LABEL y INTO m",
        "{\"name\":\"score\",\"label\":\"y\"}");
    check_score("SELECT * FROM t TO TRAIN xgboost.gbtree LABEL y INTO m",
                "{\"name\":\"score\",\"label\":\"y\"}");
    check_score("SELECT * FROM t TO TRAIN NoSuchModel LABEL y INTO m",
                "{\"name\":\"score\",\"label\":\"y\"}");
    check_score("SELECT * FROM t TO PREDICT y USING m", "{\"name\":\"score\",\"label\":null}");
    check_score("SELECT 1", "{\"name\":\"score\",\"label\":null}");
    check_score("TO TRAIN TO TRAIN", "{\"name\":\"score\",\"label\":null}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_path_is_a_call),
        cmocka_unit_test(arguments_are_decoded_and_bounded),
        cmocka_unit_test(without_the_token_there_is_nothing),
        cmocka_unit_test(a_name_that_leads_here_is_a_strangers),
        cmocka_unit_test(changes_need_their_own_token_and_page),
        cmocka_unit_test(strings_of_json_are_whole),
        cmocka_unit_test(a_page_gets_the_jobs_that_changed),
        cmocka_unit_test(a_board_has_a_limit),
        cmocka_unit_test(a_score_has_the_name_that_the_statement_fixes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
