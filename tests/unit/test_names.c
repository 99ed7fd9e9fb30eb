/* Names of columns and classes where a model is shown. */
#include "inputs/cells/cells.h"
#include "scoring/label_names.h"
#include "scoring/transform/feature_names.h"
#include "tests/check.h"
#include "tests/unit/scoring_fixture.h"

static void check_features(struct fixture *fixture, const char *const *names, uint32_t count)
{
    const struct transform *transform = &fixture->model.transform;
    struct slice *found;
    struct error err;

    CHECK_OK(feature_names(transform, &fixture->arena, &found, &err));
    CHECK_INT(1 + transform->dense_width + transform->id_rows, count);
    for (uint32_t i = 0; i < count; i++)
        CHECK_SLICE(found[i], names[i]);
}

/* The last is that of a size that is NULL, which training has not seen. */
static void a_column_is_called_by_its_input_and_what_it_counts(void **state)
{
    static const char *const names[] = {"(intercept)",
                                        "age",
                                        "age is null",
                                        "height",
                                        "colour=red",
                                        "colour=green",
                                        "colour=it's",
                                        "colour in bucket 0",
                                        "colour in bucket 1",
                                        "colour is null",
                                        "size=red",
                                        "size=green",
                                        ""};
    struct fixture fixture;
    (void)state;

    fixture_init(&fixture, 0);
    check_features(&fixture, names, 13);
    fixture_deinit(&fixture);
}

static void buckets_and_ids_are_called_by_their_bounds_and_numbers(void **state)
{
    static const char *const names[] = {"(intercept)",
                                        "age",
                                        "age is null",
                                        "BUCKET(age)=(-inf, 30)",
                                        "BUCKET(age)=[30, 50)",
                                        "BUCKET(age)=[50, inf)",
                                        "", /* its NULL */
                                        "CATEGORY_ID(age)=0",
                                        "CATEGORY_ID(age)=1",
                                        ""};
    struct fixture fixture;
    struct error err;
    (void)state;

    fixture_init(&fixture, 0);
    fixture_rules(&fixture);
    fixture.model.transform.input_count = 3;
    fixture.model.transform.inputs[2].hash_buckets = 2;
    CHECK_OK(transform_finish(&fixture.model.transform, &fixture.arena, &err));
    check_features(&fixture, names, 10);
    fixture_deinit(&fixture);
}

static void classes_are_called_as_they_are_written(void **state)
{
    struct cell mixed[] = {{.type = CELL_REAL, .real = -0.5},
                           {.type = CELL_REAL, .real = 3},
                           {.type = CELL_TEXT, .text = SLICE("it's")}};
    const struct labels labels = {.type = LABEL_TEXT, .count = 3, .values = mixed};
    struct fixture fixture;
    struct slice *names;
    struct error err;
    (void)state;

    fixture_init(&fixture, 3);
    CHECK_OK(label_names(&fixture.model.labels, &fixture.arena, &names, &err));
    CHECK_SLICE(names[0], "0");
    CHECK_SLICE(names[1], "10");
    CHECK_SLICE(names[2], "20");
    CHECK_OK(label_names(&labels, &fixture.arena, &names, &err));
    CHECK_SLICE(names[0], "-0.5");
    CHECK_SLICE(names[1], "3");
    CHECK_SLICE(names[2], "it's");
    fixture_deinit(&fixture);
}

static void check_spelling(enum label_spelling spelling, struct cell value, const char *wanted)
{
    const struct labels one = {.count = 1, .values = &value, .spelling = spelling};
    char buffer[TRANSFORM_WORD_BUFFER];

    CHECK_SLICE(label_name(&one, 0, buffer), wanted);
}

#define WHOLE(n) ((struct cell){.type = CELL_INTEGER, .integer = (n)})
#define REAL(n)  ((struct cell){.type = CELL_REAL, .real = (n)})

static void numbers_are_spelled_as_the_type_of_the_database(void **state)
{
    (void)state;
    CHECK(label_spelling_of(SLICE("pg_catalog.bool")) == LABEL_AS_BOOLEAN);
    CHECK(label_spelling_of(SLICE("pg_catalog.\"timestamp\"")) == LABEL_AS_TIME);
    CHECK(label_spelling_of(SLICE("public.bool")) == LABEL_AS_NUMBER);
    CHECK(label_spelling_of(SLICE("")) == LABEL_AS_NUMBER);
    check_spelling(LABEL_AS_BOOLEAN, WHOLE(0), "false");
    check_spelling(LABEL_AS_BOOLEAN, WHOLE(1), "true");
    check_spelling(LABEL_AS_BOOLEAN, WHOLE(2), "2"); /* somebody wrote it into the model */
    check_spelling(LABEL_AS_DATE, WHOLE(-1), "1969-12-31");
    check_spelling(LABEL_AS_DATE, WHOLE(-719162), "0001-01-01");
    check_spelling(LABEL_AS_DATE, WHOLE(2932896), "9999-12-31");
    check_spelling(LABEL_AS_DATE, WHOLE(2932897), "2932897");
    check_spelling(LABEL_AS_DATE, WHOLE(INT64_MIN), "-9223372036854775808");
    check_spelling(LABEL_AS_DATE, REAL(INFINITY), "");
    check_spelling(LABEL_AS_TIME, REAL(-0.5), "1969-12-31 23:59:59.500000");
    check_spelling(LABEL_AS_TIME, REAL(86400), "1970-01-02");
    check_spelling(LABEL_AS_INSTANT, REAL(1709208000), "2024-02-29 12:00:00+00");
    check_spelling(LABEL_AS_TIME, REAL(NAN), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_called_by_its_input_and_what_it_counts),
        cmocka_unit_test(buckets_and_ids_are_called_by_their_bounds_and_numbers),
        cmocka_unit_test(classes_are_called_as_they_are_written),
        cmocka_unit_test(numbers_are_spelled_as_the_type_of_the_database),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
