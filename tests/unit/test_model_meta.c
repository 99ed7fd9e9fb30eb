/* The description of a model: what is written only sometimes, and what is refused. */
#include "scoring/tables/model_meta.h"
#include "tests/check.h"
#include "tests/unit/scoring_fixture.h"

static void model_init(struct fixture *fixture, uint32_t classes)
{
    static const uint32_t widths[] = {1};

    fixture_init(fixture, classes);
    fixture_layers(fixture, widths, 1);
}

static struct text meta_of(const struct model *model)
{
    struct text json;
    struct error err;

    text_init(&json, TEXT_MAXIMUM);
    CHECK_OK(model_meta_write(model, &json, &err));
    return json;
}

/* Reads the description with another text in the place of this part. */
static enum status read_changed(const struct model *model, const char *part, const char *other,
                                struct model *read, struct arena *arena, struct error *err)
{
    struct text json = meta_of(model), changed;
    const char *at, *bytes = text_string(&json);
    enum status status;

    at = strstr(bytes, part);
    if (!at)
        check_failed("no %s in %s", part, bytes);
    text_init(&changed, TEXT_MAXIMUM);
    text_append(&changed, (struct slice){bytes, (size_t)(at - bytes)});
    text_append(&changed, slice_of(other));
    text_append(&changed, slice_of(at + strlen(part)));
    status = model_meta_read(text_slice(&changed), kinds, arena, read, err);
    text_deinit(&changed);
    text_deinit(&json);
    return status;
}

static void check_refused(const struct model *model, const char *part, const char *other,
                          const char *message)
{
    struct arena arena;
    struct model read;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_FAILS(read_changed(model, part, other, &read, &arena, &err), STATUS_CORRUPT, message);
    arena_deinit(&arena);
}

static void the_lesser_of_two_labels_may_be_the_positive_one(void **state)
{
    static const char *const others[] = {"10", "5", "-1", "11"};
    struct fixture fixture;
    struct arena arena;
    struct model read;
    struct error err;
    (void)state;

    model_init(&fixture, 2);
    fixture.model.positive_is_lesser = true;
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(read_changed(&fixture.model, "\"positive\":0", "\"positive\":0", &read, &arena, &err));
    CHECK(read.positive_is_lesser);
    CHECK_INT(model_positive(&read), 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char text[32];

        snprintf(text, sizeof text, "\"positive\":%s", others[i]);
        check_refused(&fixture.model, "\"positive\":0", text, "not the lesser of two");
    }
    check_refused(&fixture.model, "\"positive\":0", "\"positive\":null", "another type");
    CHECK_OK(read_changed(&fixture.model, "\"positive\":0", "\"another\":0", &read, &arena, &err));
    CHECK(!read.positive_is_lesser);
    arena_deinit(&arena);
    fixture_deinit(&fixture);

    model_init(&fixture, 3);
    fixture.model.positive_is_lesser = true;
    check_refused(&fixture.model, "\"positive\":0", "\"positive\":0", "not the lesser of two");
    fixture_deinit(&fixture);
}

static void readings_and_declared_types_come_back(void **state)
{
    struct fixture fixture;
    struct arena arena;
    struct model read;
    struct error err;
    (void)state;

    model_init(&fixture, 0);
    fixture.model.labels.reading = READING_SEPARATED;
    fixture.model.transform.inputs[0].spec.reading = READING_STRICT; /* which is not written */
    fixture.model.transform.inputs[1].spec.reading = READING_BOOLEAN;
    fixture.model.label_declared = SLICE("pg_catalog.numeric");
    fixture.model.notices = NULL;
    fixture.model.metrics_json = SLICE("");
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(read_changed(&fixture.model, "\"version\":3", "\"version\":4", &read, &arena, &err));
    CHECK_INT(read.version, 4);
    CHECK_INT(read.labels.reading, READING_SEPARATED);
    CHECK_INT(read.transform.inputs[0].spec.reading, READING_STRICT);
    CHECK_INT(read.transform.inputs[1].spec.reading, READING_BOOLEAN);
    CHECK_SLICE(read.label_declared, "pg_catalog.numeric");
    CHECK(read.notices == NULL && read.metrics_json.size == 0);
    arena_deinit(&arena);
    fixture_deinit(&fixture);
}

/* Format 14 knows none of them, and would refuse the cells that they are for. */
static void readings_of_other_spellings_are_of_the_newest_format(void **state)
{
    static const char *const changes[][3] = {
        {"\"format\":16", "\"format\":14", "a reading that does not belong to its kind"},
        {"\"reading\":\"written, with a comma\"", "\"reading\":\"month first\"",
         "\"reading\": a numeric has none"}};
    struct fixture fixture;
    struct arena arena;
    struct model read;
    struct error err;
    (void)state;

    model_init(&fixture, 0);
    fixture.model.format = MODEL_FORMAT_WRITTEN;
    fixture.model.transform.inputs[0].spec.reading = READING_COMMA;
    fixture.model.labels.reading = READING_POINT;
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(read_changed(&fixture.model, "\"version\":3", "\"version\":4", &read, &arena, &err));
    CHECK_INT(read.transform.inputs[0].spec.reading, READING_COMMA);
    CHECK_INT(read.labels.reading, READING_POINT);
    for (size_t i = 0; i < 2; i++)
        CHECK_FAILS(read_changed(&fixture.model, changes[i][0], changes[i][1], &read, &arena, &err),
                    STATUS_CORRUPT, changes[i][2]);
    arena_deinit(&arena);
    fixture_deinit(&fixture);
}

static void a_strict_reading_of_the_label_needs_no_word(void **state)
{
    struct fixture fixture;
    struct arena arena;
    struct model read;
    struct error err;
    struct text json;
    (void)state;

    model_init(&fixture, 0);
    for (int i = 0; i < 2; i++)
        fixture.model.transform.inputs[i].spec.reading = READING_STRICT;
    fixture.model.labels.reading = READING_STRICT;
    json = meta_of(&fixture.model);
    CHECK(!strstr(text_string(&json), "\"reading\""));
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(model_meta_read(text_slice(&json), kinds, &arena, &read, &err));
    CHECK_INT(read.labels.reading, READING_STRICT);
    arena_deinit(&arena);
    text_deinit(&json);
    fixture_deinit(&fixture);
}

static void a_text_with_a_zero_byte_is_not_written(void **state)
{
    static const struct slice cut = {"a\0b", 3};
    struct fixture fixture;
    struct text json;
    struct error err;
    (void)state;

    text_init(&json, TEXT_MAXIMUM);
    model_init(&fixture, 0);
    fixture.model.label_declared = cut;
    CHECK_FAILS(model_meta_write(&fixture.model, &json, &err), STATUS_INVALID, "label_declared");
    fixture_deinit(&fixture);

    model_init(&fixture, 0);
    fixture_dates(&fixture);
    fixture.model.transform.inputs[0].spec.name = cut;
    CHECK_FAILS(model_meta_write(&fixture.model, &json, &err), STATUS_INVALID, "name");
    fixture.model.transform.inputs[0].spec.name = SLICE("signup.age");
    fixture.model.transform.inputs[0].spec.source = cut;
    CHECK_FAILS(model_meta_write(&fixture.model, &json, &err), STATUS_INVALID, "column");
    fixture_deinit(&fixture);
    text_deinit(&json);
}

static void a_limit_that_is_none_is_refused(void **state)
{
    struct fixture fixture;
    (void)state;

    model_init(&fixture, 0);
    fixture.model.format = MODEL_FORMAT_LIMITS;
    fixture.model.transform.inputs[0].limit = 5;
    check_refused(&fixture.model, "\"limit\":5", "\"limit\":0", "out of range");
    check_refused(&fixture.model, "\"limit\":5", "\"limit\":-5", "out of range");
    check_refused(&fixture.model, "\"limit\":5", "\"limit\":1e300", "out of range");
    check_refused(&fixture.model, "\"limit\":5", "\"limit\":\"5\"", "limit");
    fixture_deinit(&fixture);
}

static void a_text_that_is_none_is_refused(void **state)
{
    static const struct {
        const char *part, *other, *message;
    } cases[] = {
        {"\"format\":5", "\"format\":4", "no text"},
        {"\"has_nulls\":false,\"words_max\"", "\"has_nulls\":true,\"words_max\"", "no text"},
        {"\"type\":\"text\"", "\"type\":\"text\",\"column\":\"note\",\"part\":\"month\"",
         "\"part\": a text is no month of a date"},
        {"\"words_max\":4", "\"words_max\":0", "words_max"},
        {"\"words_max\":4", "\"words_max\":1025", "words_max"},
        {"\"words_max\":4", "\"words_least\":4", "words_max"},
        {"\"hash_buckets\":7", "\"hash_buckets\":0", "hash_buckets"},
        {"\"hash_buckets\":7", "\"hash_buckets\":8", "layer 0 has"},
    };
    struct fixture fixture;
    (void)state;

    fixture_init(&fixture, 0);
    fixture_text(&fixture);
    fixture_layers(&fixture, (const uint32_t[]){1}, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(&fixture.model, cases[i].part, cases[i].other, cases[i].message);
    fixture_deinit(&fixture);
}

static void a_code_is_of_an_input_that_may_be_missing(void **state)
{
    struct transform_input *input;
    struct fixture fixture;
    (void)state;

    model_init(&fixture, 0);
    fixture.model.format = MODEL_FORMAT_CODES;
    input = &fixture.model.transform.inputs[0];
    input->has_code = true;
    input->code = -999;
    check_refused(&fixture.model, "\"code\":-999", "\"code\":\"x\"", "code");
    check_refused(&fixture.model, "\"has_nulls\":true", "\"has_nulls\":false", "no missing values");
    fixture_deinit(&fixture);
}

/* An exponential link belongs to a number; a margin, which no probability is made of, to two
 * classes. */
static void a_link_comes_back_and_is_of_its_task(void **state)
{
    static const char *const exp_link = "\"link\":\"exp\"", *const margin = "\"link\":\"margin\"";
    struct fixture fixture;
    struct arena arena;
    struct model read;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    model_init(&fixture, 0);
    fixture.model.format = MODEL_FORMAT_LINKS;
    fixture.model.link = LABEL_LINK_EXP;
    fixture.model.aim.power = 1.25;
    CHECK_OK(read_changed(&fixture.model, exp_link, exp_link, &read, &arena, &err));
    CHECK(read.link == LABEL_LINK_EXP && read.aim.power == 1.25 && read.aim.aim == AIM_MEANS);
    check_refused(&fixture.model, exp_link, margin, "a regressor with the link \"margin\"");
    check_refused(&fixture.model, exp_link, "\"link\":\"log\"", "\"link\" is \"log\"");
    check_refused(&fixture.model, ":1.25", ":1", "a tweedie power that is not");
    check_refused(&fixture.model, ":1.25", ":2", "a tweedie power that is not");
    fixture_deinit(&fixture);

    model_init(&fixture, 2);
    fixture.model.format = MODEL_FORMAT_LINKS;
    fixture.model.link = LABEL_LINK_MARGIN;
    CHECK_OK(read_changed(&fixture.model, margin, margin, &read, &arena, &err));
    CHECK(read.link == LABEL_LINK_MARGIN && read.aim.aim == AIM_MARGINS);
    check_refused(&fixture.model, margin, exp_link, "a classifier with the link \"exp\"");
    fixture_deinit(&fixture);

    fixture_init(&fixture, 3);
    fixture_layers(&fixture, (const uint32_t[]){3}, 1);
    fixture.model.format = MODEL_FORMAT_LINKS;
    fixture.model.link = LABEL_LINK_MARGIN;
    check_refused(&fixture.model, margin, margin, "a classifier with the link \"margin\"");
    fixture_deinit(&fixture);
    arena_deinit(&arena);
}

static void digits_are_all_there_or_none(void **state)
{
    static const char *const id = "\"id\":\"0123456789abcdef0123456789abcdef\"";
    struct fixture fixture;
    struct arena arena;
    struct model read;
    struct error err;
    (void)state;

    model_init(&fixture, 0);
    check_refused(&fixture.model, id, "\"id\":\"0123\"", "no number of 32 digits");
    check_refused(&fixture.model, id, "\"id\":\"0123456789abcdef0123456789abcdeg\"",
                  "no number of 32 digits");
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(read_changed(&fixture.model, id, "\"id\":\"\"", &read, &arena, &err));
    CHECK_INT(read.id.size, 0);
    arena_deinit(&arena);
    fixture_deinit(&fixture);
}

/* Older programs refuse the format; those since refuse the name that they lack. */
static void a_model_names_the_encoders_that_it_needs(void **state)
{
    static const struct {
        const char *part, *other, *message;
        enum status status;
    } cases[] = {
        {"[\"sequence\"]", "[\"sequence\",\"graph\"]",
         "the model needs the encoder \"graph\", which this version does not have",
         STATUS_UNSUPPORTED},
        {"[\"sequence\"]", "[7]", "needs the encoder \"\"", STATUS_UNSUPPORTED},
        {"[\"sequence\"]", "[\"number\"]", "needs the encoder \"number\"", STATUS_UNSUPPORTED},
        {"[\"sequence\"]", "7", "\"encoders\"", STATUS_CORRUPT},
        {"\"format\":21", "\"format\":20", "an encoder that its format does not name",
         STATUS_CORRUPT},
        {"\"words\":3,\"hash_buckets\":2", "\"hash_buckets\":2", "\"words\": expected",
         STATUS_CORRUPT},
        {"\"rule\":\"sequence\"", "\"rule\":\"hash\"", "a text has no rule \"hash\"",
         STATUS_CORRUPT},
        {"\"form\":\"sequence\"", "\"form\":\"items\"", "a text has no rule \"sequence\"",
         STATUS_CORRUPT},
    };
    static const uint32_t widths[] = {1};
    struct fixture fixture;
    struct arena arena;
    struct model read;
    struct error err;
    struct text json;
    (void)state;

    fixture_init(&fixture, 0);
    fixture_sequence(&fixture);
    fixture_layers(&fixture, widths, 1);
    json = meta_of(&fixture.model);
    CHECK(strstr(text_string(&json), "\"encoders\":[\"sequence\"],\"inputs\""));
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(model_meta_read(text_slice(&json), kinds, &arena, &read, &err));
    CHECK_INT(read.transform.inputs[2].word_count, 3);
    CHECK(
        input_spec_equal(&read.transform.inputs[2].spec, &fixture.model.transform.inputs[2].spec));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(
            read_changed(&fixture.model, cases[i].part, cases[i].other, &read, &arena, &err),
            cases[i].status, cases[i].message);
        if (cases[i].status == STATUS_UNSUPPORTED)
            CHECK_SLICE(slice_of(err.hint), "A later version trained it, and can read it.");
    }
    arena_deinit(&arena);
    text_deinit(&json);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lesser_of_two_labels_may_be_the_positive_one),
        cmocka_unit_test(readings_and_declared_types_come_back),
        cmocka_unit_test(readings_of_other_spellings_are_of_the_newest_format),
        cmocka_unit_test(a_strict_reading_of_the_label_needs_no_word),
        cmocka_unit_test(a_text_with_a_zero_byte_is_not_written),
        cmocka_unit_test(a_limit_that_is_none_is_refused),
        cmocka_unit_test(a_text_that_is_none_is_refused),
        cmocka_unit_test(a_code_is_of_an_input_that_may_be_missing),
        cmocka_unit_test(a_link_comes_back_and_is_of_its_task),
        cmocka_unit_test(digits_are_all_there_or_none),
        cmocka_unit_test(a_model_names_the_encoders_that_it_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
