/* The members of an input in a job spec and in a model's meta: written, read, compared, copied and
 * checked by one table. */
#include <stddef.h>
#include <string.h>

#include "inputs/input_members.h"
#include "tests/check.h"

static const double bounds[] = {1, 2.5};
static struct cross_column crossed[] = {{.name = SLICE("a")}, {.name = SLICE("b")}};
static const struct cross cross = {crossed, 2, 7};

/* Inputs that have each member among them, and none that would go without saying. */
static const struct input_spec specs[] = {
    {.name = SLICE("a"), .type = INPUT_NUMERIC, .keeps_codes = true, .offset = OFFSET_EXPOSURE},
    {.name = SLICE("b"),
     .type = INPUT_NUMERIC,
     .direction = -1,
     .groups = 5,
     .reading = READING_COMMA},
    {.name = SLICE("d.age"),
     .type = INPUT_NUMERIC,
     .source = SLICE("d"),
     .part = DATE_AGE,
     .reading = READING_DAY_FIRST},
    {.name = SLICE("d.month"),
     .type = INPUT_CATEGORY,
     .source = SLICE("d"),
     .part = DATE_MONTH,
     .reading = READING_DATE,
     .vocabulary_max = 12},
    {.name = SLICE("l[2]"),
     .type = INPUT_NUMERIC,
     .source = SLICE("l"),
     .element = 1,
     .list = {LIST_DENSE, 2, ';', 0, 0, false, 0, 0}},
    {.name = SLICE("BUCKET(n)"),
     .type = INPUT_CATEGORY,
     .source = SLICE("n"),
     .rule = RULE_BUCKET,
     .bounds = bounds,
     .bound_count = 2,
     .vocabulary_max = 3,
     .reading = READING_SEPARATED},
    {.name = SLICE("CROSS(a, b)"),
     .type = INPUT_CATEGORY,
     .rule = RULE_CROSS,
     .cross = &cross,
     .vocabulary_max = 7,
     .model_part = PART_DNN,
     .dimension = 4,
     .concat = {2, COMBINER_SUM}},
    {.name = SLICE("SPARSE(i)"),
     .type = INPUT_TEXT,
     .source = SLICE("i"),
     .rule = RULE_ID,
     .combiner = COMBINER_MEAN,
     .is_weighted = true,
     .words_max = 3,
     .vocabulary_max = 9,
     .list = {LIST_ITEMS, 3, ' ', ':', 0, false, 0, 0}},
    {.name = SLICE("t"),
     .type = INPUT_TEXT,
     .combiner = COMBINER_SUM,
     .is_weighted = true,
     .has_pairs = true,
     .weight = TEXT_WEIGHT_COUNT,
     .words_max = 3,
     .vocabulary_max = 9},
    {.name = SLICE("n[1]"),
     .type = INPUT_NUMERIC,
     .source = SLICE("n"),
     .element = 1,
     .list = {LIST_WORDS, 2, 0, 0, 5, true, 0, 0}},
    {.name = SLICE("clicked"),
     .type = INPUT_CATEGORY,
     .vocabulary_max = 9,
     .label = INPUT_LABEL_TEXT},
};
#define SPECS (sizeof specs / sizeof *specs)

/* The object as it is read back from its text. */
static cJSON *written(const struct input_spec *spec, enum input_record record)
{
    cJSON *object = cJSON_CreateObject(), *read;
    struct text json;
    struct error err;

    for (unsigned step = 0; step < INPUT_STEPS; step++)
        input_members_write(spec, record, step, object);
    if (record == RECORD_MODEL)
        json_add_integer(object, "hash_buckets", spec->vocabulary_max);
    text_init(&json, TEXT_MAXIMUM);
    CHECK_OK(json_print(object, false, &json, &err));
    CHECK_OK(json_parse(text_slice(&json), JSON_BYTES_MAX, &read, &err));
    text_deinit(&json);
    cJSON_Delete(object);
    return read;
}

/* Members that a model does not store are not asked back of it. */
static struct input_spec as_stored(const struct input_spec *spec, enum input_record record)
{
    struct input_spec stored = *spec;

    if (record == RECORD_MODEL) {
        stored.keeps_codes = false, stored.direction = 0, stored.groups = 0;
        stored.vocabulary_max = 0;
    }
    return stored;
}

static void each_member_comes_back_from_either_record(void **state)
{
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    for (int record = 0; record < INPUT_RECORDS; record++)
        for (size_t i = 0; i < SPECS; i++) {
            const struct input_spec wanted = as_stored(&specs[i], record);
            struct input_spec read = {0};
            cJSON *object = written(&specs[i], record);

            CHECK_OK(input_members_read(object, record, ALL_INPUT_MEMBERS, &arena, &read, &err));
            CHECK(input_spec_equal(&wanted, &read));
            cJSON_Delete(object);
        }
    arena_deinit(&arena);
}

/* So that the test above sees a row that has no place in a record. */
static void each_member_is_said_by_one_of_the_inputs(void **state)
{
    (void)state;
    for (int record = 0; record < INPUT_RECORDS; record++)
        for (size_t m = 0; m < INPUT_MEMBERS; m++) {
            const struct input_member *member = &input_members[m];
            bool is_said = member->names[record] == NULL;

            for (size_t i = 0; i < SPECS; i++) {
                cJSON *object = written(&specs[i], record);
                const bool is_nested = member->is_of_source && record == RECORD_JOB;

                is_said |= json_has(is_nested ? cJSON_GetObjectItem(object, "source") : object,
                                    member->names[record]);
                cJSON_Delete(object);
            }
            CHECK(is_said);
        }
}

/* Each member but the name, which all have, tells one of the inputs from an empty one. */
static void each_member_is_compared(void **state)
{
    (void)state;
    for (size_t m = 0; m < INPUT_MEMBERS; m++) {
        const struct input_spec none = {.name = SLICE("")};
        bool differs = false;

        for (size_t i = 0; i < SPECS; i++) {
            differs |= !input_member_equal(&input_members[m], &specs[i], &none);
            CHECK(input_member_equal(&input_members[m], &specs[i], &specs[i]));
        }
        CHECK(differs);
    }
}

static enum status copy_all(void *self, struct arena *arena, struct error *err)
{
    struct input_spec copy;
    (void)self;

    for (size_t i = 0; i < SPECS; i++) {
        TRY(input_spec_copy(&specs[i], arena, &copy, err));
        CHECK(input_spec_equal(&specs[i], &copy));
        CHECK(copy.name.data != specs[i].name.data);
        CHECK(!copy.cross || copy.cross != specs[i].cross);
        CHECK(copy.bounds != specs[i].bounds);
    }
    return STATUS_OK;
}

static enum status read_all(void *self, struct arena *arena, struct error *err)
{
    enum status status = STATUS_OK;
    (void)self;

    for (size_t i = 0; i < SPECS && status == STATUS_OK; i++) {
        struct input_spec read = {0};
        cJSON *object = written(&specs[i], RECORD_JOB);

        status = input_members_read(object, RECORD_JOB, ALL_INPUT_MEMBERS, arena, &read, err);
        cJSON_Delete(object);
    }
    return status;
}

/* With less room than is needed, from none on. */
static void check_room(enum status (*run)(void *, struct arena *, struct error *))
{
    struct arena arena;
    struct error err;
    enum status status = STATUS_NO_MEMORY;

    for (size_t room = 0; status == STATUS_NO_MEMORY; room += 16) {
        arena_init(&arena, room);
        status = run(NULL, &arena, &err);
        arena_deinit(&arena);
    }
    CHECK_OK(status);
}

static void what_a_spec_points_to_is_copied_or_there_is_no_memory(void **state)
{
    (void)state;
    check_room(copy_all);
    check_room(read_all);
}

/* A change of one of the inputs, in the object of a record. */
static void check_refused(enum input_record record, size_t input, const char *in_source,
                          const char *name, const char *json, const char *message)
{
    cJSON *object = written(&specs[input], record);
    cJSON *at = in_source ? cJSON_GetObjectItem(object, in_source) : object;
    struct input_spec read = {0};
    struct arena arena;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    cJSON_DeleteItemFromObjectCaseSensitive(at, name);
    if (json)
        json_add(at, name, cJSON_Parse(json));
    CHECK_FAILS(input_members_read(object, record, ALL_INPUT_MEMBERS, &arena, &read, &err),
                STATUS_CORRUPT, message);
    arena_deinit(&arena);
    cJSON_Delete(object);
}

static void what_does_not_go_together_is_refused_in_both_records(void **state)
{
    static const struct {
        size_t input;
        const char *name, *json, *message;
    } cases[] = {
        {0, "offset", "\"none\"", "\"offset\": \"none\" is not one of its words"},
        {3, "offset", "\"exposure\"", "\"offset\": a number of a column alone is one"},
        {1, "label", "\"none\"", "\"label\": \"none\" is not one of its words"},
        {1, "label", "\"text\"", "\"label\": it is that of a column as it is"},
        {3, "label", "\"number\"", "\"label\": it is that of a column as it is"},
        {0, "rule", "\"hash\"", "\"rule\": a numeric has no rule \"hash\""},
        {0, "rule", "\"words\"", "\"rule\": \"words\" is not one of its words"},
        {0, "combiner", "\"mean\"", "of lists alone"},
        {0, "weighted", "true", "of lists alone"},
        {7, "weighted", "false", "\"weighted\": true, or left out"},
        {0, "dimension", "4", "of embeddings alone"},
        {6, "model_part", "\"linear\"", "of embeddings alone"},
        {6, "dimension", "513", "\"dimension\": expected an integer from 1 to 512"},
        {5, "reading", "\"day first\"", "\"reading\": a category has none"},
        {5, "bounds", "[2, 1]", "\"bounds\": numbers that ascend"},
        {5, "bounds", "[1, \"x\"]", "\"bounds\": numbers that ascend"},
        {5, "rule", "\"cross\"", ""},
        {6, "cross", NULL, "\"cross\""},
        {7, "rule", NULL, "\"rule\": a list of items has one"},
        {7, "words_max", "4", "\"words_max\": not the list's"},
        {7, "words_max", NULL, "\"words_max\": expected"},
    };
    (void)state;

    for (int record = 0; record < INPUT_RECORDS; record++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            check_refused(record, cases[i].input, NULL, cases[i].name, cases[i].json,
                          cases[i].message);
}

static void a_source_that_does_not_fit_is_refused_in_both_records(void **state)
{
    static const struct {
        size_t input;
        const char *name, *json, *message;
    } cases[] = {
        {2, "part", "\"month\"", "\"part\": a numeric is no month of a date"},
        {2, "part", "\"whole\"", "\"part\": \"whole\" is not one of its words"},
        {2, "part", NULL, "member"},
        {2, "column", "\"\"", "\"column\": expected 1 to"},
        {4, "element", "2", "\"element\": 2 of 2"},
        {4, "element", "-1", "\"element\": expected an integer"},
        {4, "element", NULL, "\"element\": expected an integer"},
        {4, "column", NULL, "\"list\": a numeric has no column"},
        {5, "column", NULL, "\"rule\": a category with a rule needs its column"},
    };
    (void)state;

    for (int record = 0; record < INPUT_RECORDS; record++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            if (record == RECORD_JOB && !cases[i].json && cases[i].input == 5)
                continue; /* without its column there is no source */
            check_refused(record, cases[i].input, record == RECORD_JOB ? "source" : NULL,
                          cases[i].name, cases[i].json, cases[i].message);
        }
}

static void what_jobs_alone_have_is_refused_of_other_inputs(void **state)
{
    (void)state;
    check_refused(RECORD_JOB, 3, NULL, "keeps_codes", "true", "\"keeps_codes\": a category has");
    check_refused(RECORD_JOB, 3, NULL, "direction", "\"rising\"", "\"direction\": a category has");
    check_refused(RECORD_JOB, 1, NULL, "direction", "\"up\"", "\"up\" is not one of its words");
    check_refused(RECORD_JOB, 1, NULL, "groups", "[]", "\"groups\": there is none");
    check_refused(RECORD_JOB, 1, NULL, "groups", "[2, 1]", "\"groups\": numbers below 64");
    check_refused(RECORD_JOB, 1, NULL, "groups", "[64]", "\"groups\": numbers below 64");
    check_refused(RECORD_JOB, 1, NULL, "words_max", "3", "\"words_max\": a numeric has none");
    check_refused(RECORD_JOB, 1, NULL, "reading", "\"number\"", "what goes without saying");
}

/* Members that a format did not know are passed over. */
static void members_that_are_not_asked_for_are_not_read(void **state)
{
    cJSON *object = written(&specs[6], RECORD_MODEL);
    struct input_spec read = {0};
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(input_members_read(object, RECORD_MODEL,
                                ALL_INPUT_MEMBERS & ~(1u << MEMBER_CONCAT | 1u << MEMBER_DIMENSION),
                                &arena, &read, &err));
    CHECK(read.concat.number == 0 && read.dimension == 0 && read.model_part == PART_DNN);
    arena_deinit(&arena);
    cJSON_Delete(object);
}

static void a_text_with_a_zero_byte_is_found(void **state)
{
    static const struct slice cut = {"a\0b", 3};
    struct input_spec spec = specs[2];
    (void)state;

    CHECK(!input_member_with_zero(&spec));
    spec.source = cut;
    CHECK_SLICE(slice_of(input_member_with_zero(&spec)), "column");
    spec.name = cut;
    CHECK_SLICE(slice_of(input_member_with_zero(&spec)), "name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_member_comes_back_from_either_record),
        cmocka_unit_test(each_member_is_said_by_one_of_the_inputs),
        cmocka_unit_test(each_member_is_compared),
        cmocka_unit_test(what_a_spec_points_to_is_copied_or_there_is_no_memory),
        cmocka_unit_test(what_does_not_go_together_is_refused_in_both_records),
        cmocka_unit_test(a_source_that_does_not_fit_is_refused_in_both_records),
        cmocka_unit_test(what_jobs_alone_have_is_refused_of_other_inputs),
        cmocka_unit_test(members_that_are_not_asked_for_are_not_read),
        cmocka_unit_test(a_text_with_a_zero_byte_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
