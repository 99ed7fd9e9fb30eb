#include "runtime/share/share_report.h"

#include <stdlib.h>

#include "base/text.h"
#include "tests/check.h"

static const struct share_job example = {.band = -3,
                                         .least = 2,
                                         .most = 60,
                                         .curve = {.lanes = 64, .fixed = .02, .per_worker = .001},
                                         .worker = {1500, (int64_t)3 << 30},
                                         .rest = {100, 1 << 28},
                                         .rest_count = 1,
                                         .has = 7,
                                         .pinned = 5,
                                         .cap = 9,
                                         .seconds_left = 123.5};

static void a_report_is_read_as_it_was_written(void **state)
{
    struct text text, again;
    struct share_job read;
    struct error err;
    (void)state;

    text_init(&text, SHARE_REPORT_BYTES_MAX);
    text_init(&again, SHARE_REPORT_BYTES_MAX);
    CHECK_OK(share_report_write(&example, &text, &err));
    CHECK_OK(share_report_read(text_slice(&text), &read, &err));
    CHECK_OK(share_report_write(&read, &again, &err));
    CHECK_SLICE(text_slice(&again), text_string(&text));
    assert_string_equal(text_string(&text),
                        "{\"band\":-3,\"least\":2,\"most\":60,\"has\":7,\"pinned\":5,\"cap\":9,"
                        "\"lanes\":64,\"fixed\":0.02,\"per_worker\":0.001,"
                        "\"worker\":[1500,3221225472],\"rest\":[100,268435456],"
                        "\"rest_count\":1,\"seconds_left\":123.5}");
    text_deinit(&text);
    text_deinit(&again);
}

static void an_end_that_is_not_known_is_left_out(void **state)
{
    struct share_job job = example, read;
    struct error err;
    struct text text;
    (void)state;

    job.seconds_left = -1;
    text_init(&text, SHARE_REPORT_BYTES_MAX);
    CHECK_OK(share_report_write(&job, &text, &err));
    CHECK(!strstr(text_string(&text), "seconds_left"));
    CHECK_OK(share_report_read(text_slice(&text), &read, &err));
    CHECK(read.seconds_left == -1);
    text_deinit(&text);
}

/* The written report with one part replaced. */
static enum status read_with(const char *part, const char *other, struct share_job *job,
                             struct error *err)
{
    struct text text, changed;
    enum status status;
    const char *at;

    text_init(&text, SHARE_REPORT_BYTES_MAX);
    text_init(&changed, SHARE_REPORT_BYTES_MAX);
    CHECK(share_report_write(&example, &text, err) == STATUS_OK);
    at = strstr(text_string(&text), part);
    CHECK(at);
    text_append(&changed, (struct slice){text.data, (size_t)(at - text.data)});
    text_append_string(&changed, other);
    text_append_string(&changed, at + strlen(part));
    status = share_report_read(text_slice(&changed), job, err);
    text_deinit(&text);
    text_deinit(&changed);
    return status;
}

static void numbers_that_no_job_has_are_refused(void **state)
{
    static const struct {
        const char *part, *other, *said;
    } cases[] = {
        {"\"least\":2", "\"least\":0", "least"},
        {"\"least\":2", "\"least\":61", "most"},
        {"\"most\":60", "\"most\":1025", "most"},
        {"\"fixed\":0.02", "\"fixed\":16.5", "fixed"},
        {"\"fixed\":0.02", "\"fixed\":-1", "fixed"},
        {"\"per_worker\":0.", "\"per_worker\":5.", "per_worker"},
        {"\"worker\":[1500", "\"worker\":[0", "worker"},
        {"\"worker\":[1500", "\"worker\":[1.5", "worker"},
        {"\"seconds_left\":123.5", "\"seconds_left\":-2", "seconds_left"},
        {"\"has\":7,", "", "has"},
    };
    struct share_job job = {.least = 77};
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(read_with(cases[i].part, cases[i].other, &job, &err), STATUS_CORRUPT,
                    cases[i].said);
        CHECK_INT(job.least, 77);
    }
    CHECK_FAILS(share_report_read(SLICE("[1]"), &job, &err), STATUS_CORRUPT, "band");
    CHECK_FAILS(share_report_read(SLICE("{"), &job, &err), STATUS_CORRUPT, "");
}

static void a_decision_is_read_as_it_was_written(void **state)
{
    struct share_decided jobs[] = {{"a-1", 3, 0}, {"b-2", 0, 61}};
    const struct share_decision decision = {7, jobs, 2};
    struct share_decision read;
    struct error err;
    struct text text;
    (void)state;

    text_init(&text, SHARE_DECISION_BYTES_MAX);
    CHECK_OK(share_decision_write(&decision, &text, &err));
    assert_string_equal(text_string(&text), "{\"term\":7,\"jobs\":{\"a-1\":[3,0],\"b-2\":[0,61]}}");
    CHECK_OK(share_decision_read(text_slice(&text), &read, &err));
    CHECK_INT(read.term, 7);
    CHECK_INT(read.count, 2);
    CHECK_INT(share_decision_find(&read, "b-2")->seconds, 61);
    CHECK(!share_decision_find(&read, "c"));
    share_decision_free(&read);
    text_deinit(&text);
}

static void a_decision_that_cannot_be_is_refused(void **state)
{
    static const char *const texts[] = {
        "{}",
        "{\"term\":-1,\"jobs\":{}}",
        "{\"term\":1,\"jobs\":[]}",
        "{\"term\":1,\"jobs\":{\"a\":[1]}}",
        "{\"term\":1,\"jobs\":{\"a\":[1,2,3]}}",
        "{\"term\":1,\"jobs\":{\"a\":[1025,0]}}",
        "{\"term\":1,\"jobs\":{\"a\":[1,-1]}}",
        "{\"term\":1,\"jobs\":{\"\":[1,1]}}",
        "{\"term\":1,\"jobs\":{\"a\":3}}",
    };
    struct share_decision read;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_FAILS(share_decision_read(slice_of(texts[i]), &read, &err), STATUS_CORRUPT, "");
        CHECK_INT(read.count, 0);
        share_decision_free(&read);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_is_read_as_it_was_written),
        cmocka_unit_test(an_end_that_is_not_known_is_left_out),
        cmocka_unit_test(numbers_that_no_job_has_are_refused),
        cmocka_unit_test(a_decision_is_read_as_it_was_written),
        cmocka_unit_test(a_decision_that_cannot_be_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
