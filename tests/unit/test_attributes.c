#include "tests/check.h"

#include <stdlib.h>

#include "planner/plan.h"

#define DOCUMENT_BYTES_MAX (1 << 20)

static struct value number(double value)
{
    return (struct value){.kind = VALUE_NUMBER,
                          .number = value,
                          .is_integer = value == (double)(int64_t)value,
                          .integer = (int64_t)value,
                          .text = SLICE("?"),
                          .span = {20, 21}};
}

static struct value string(const char *text)
{
    return (struct value){.kind = VALUE_STRING, .text = slice_of(text), .span = {20, 21}};
}

static struct setting setting(const char *name, struct value value)
{
    return (struct setting){.name = {.text = slice_of(name), .position = 10}, .value = value};
}

static enum status check(const char *name, struct value value, unsigned scope, struct error *err)
{
    const struct attribute *attribute;
    struct setting one = setting(name, value);

    error_clear(err);
    return attribute_check(&one, scope, &attribute, err);
}

/* The value that a default is written as. */
static struct value default_of(const struct attribute *attribute)
{
    struct slice text = slice_of(attribute->default_value);
    double real;

    if (slice_is(text, "true") || slice_is(text, "false"))
        return (struct value){.kind = VALUE_BOOLEAN, .boolean = slice_is(text, "true")};
    if (slice_to_real(text, &real))
        return number(real);
    return string(attribute->default_value);
}

static void every_default_passes_its_own_check(void **state)
{
    struct error err;
    (void)state;

    for (size_t i = 0; i < attribute_count; i++)
        if (attributes[i].default_value && attributes[i].is_supported)
            CHECK_OK(check(attributes[i].name, default_of(&attributes[i]),
                           attributes[i].scope | SCOPE_NETWORK, &err));
}

static void every_name_is_there_once_and_every_alias_leads_to_one(void **state)
{
    (void)state;

    for (size_t i = 0; i < attribute_count; i++)
        CHECK(attribute_find(slice_of(attributes[i].name)) == &attributes[i]);
    for (size_t i = 0; i < attribute_alias_count; i++) {
        const struct attribute *found = attribute_find(slice_of(attribute_aliases[i].name));
        CHECK(found != NULL);
        assert_string_equal(found->name, attribute_aliases[i].attribute);
    }
}

static void names_are_found_in_any_case(void **state)
{
    (void)state;
    assert_string_equal(attribute_find(SLICE("Train.Epoch"))->name, "train.epoch");
    assert_string_equal(attribute_find(SLICE("OPTIMIZER"))->name, "model.optimizer");
    CHECK(attribute_find(SLICE("train")) == NULL);
}

static void the_ends_of_a_range_belong_to_it(void **state)
{
    struct error err;
    (void)state;

    CHECK_OK(check("train.batch_size", number(1), SCOPE_TRAIN, &err));
    CHECK_OK(check("train.batch_size", number(1000000), SCOPE_TRAIN, &err));
    CHECK_FAILS(check("train.batch_size", number(0), SCOPE_TRAIN, &err), STATUS_INVALID,
                "from 1 to 1000000");
    CHECK_FAILS(check("train.batch_size", number(1000001), SCOPE_TRAIN, &err), STATUS_INVALID,
                "from 1 to 1000000");
    CHECK_INT(err.position, 20);
    CHECK_FAILS(check("model.dropout", number(1), SCOPE_TRAIN | SCOPE_NETWORK, &err),
                STATUS_INVALID, "from 0 to 0.99");
}

static void an_unknown_name_is_answered_at_its_place_with_the_nearest(void **state)
{
    struct error err;
    (void)state;

    CHECK_FAILS(check("modle.hidden_unit", number(1), SCOPE_TRAIN, &err), STATUS_INVALID,
                "unknown attribute \"modle.hidden_unit\"");
    assert_string_equal(err.hint, "Did you mean model.hidden_units?");
    CHECK_INT(err.position, 10);
    CHECK_FAILS(check("batch_size", number(1), SCOPE_TRAIN, &err), STATUS_INVALID, "unknown");
    assert_string_equal(err.hint, "Did you mean train.batch_size?");
}

static void a_known_name_that_is_not_built_is_unsupported(void **state)
{
    struct error err;
    (void)state;

    CHECK_FAILS(check("train.max_seconds", number(1), SCOPE_TRAIN, &err), STATUS_UNSUPPORTED,
                "attribute \"train.max_seconds\" is not supported yet");
    CHECK_FAILS(check("max_depth", number(6), SCOPE_TRAIN, &err), STATUS_UNSUPPORTED,
                "not supported yet");
    CHECK_FAILS(check("train.num_ps", number(6), SCOPE_TRAIN, &err), STATUS_UNSUPPORTED,
                "\"train.num_ps\"");
}

static void an_attribute_belongs_to_its_statements_and_models(void **state)
{
    struct error err;
    (void)state;

    CHECK_OK(check("validation.metrics", string("AUC"), SCOPE_EVALUATE, &err));
    CHECK_FAILS(check("train.epoch", number(3), SCOPE_EVALUATE, &err), STATUS_INVALID,
                "no use in TO EVALUATE");
    CHECK_FAILS(check("predict.extra_outputs", string("score"), SCOPE_TRAIN, &err), STATUS_INVALID,
                "no use in TO TRAIN");
    CHECK_FAILS(check("model.dropout", number(0.5), SCOPE_TRAIN, &err), STATUS_INVALID,
                "without hidden layers");
}

static void a_list_of_words_may_be_written_with_commas(void **state)
{
    struct error err;
    (void)state;

    CHECK_OK(check("predict.extra_outputs", string("score, Probability"), SCOPE_PREDICT, &err));
    CHECK_FAILS(check("predict.extra_outputs", string("score,"), SCOPE_PREDICT, &err),
                STATUS_INVALID, "takes a list of");
    CHECK_FAILS(check("predict.extra_outputs", string("scores"), SCOPE_PREDICT, &err),
                STATUS_INVALID, "takes a list of");
    assert_string_equal(err.hint, "Did you mean 'score'?");
}

static void the_document_is_printed_from_the_table(void **state)
{
    static char stored[DOCUMENT_BYTES_MAX];
    bool writes = getenv("TOTRAIN_WRITE") != NULL;
    FILE *file = fopen(ATTRIBUTES_DOCUMENT, writes ? "wb" : "rb");
    struct text printed;
    size_t size;
    (void)state;

    CHECK(file != NULL);
    text_init(&printed, DOCUMENT_BYTES_MAX);
    attributes_print_document(&printed);
    if (writes) {
        CHECK_INT(fwrite(printed.data, 1, printed.size, file), printed.size);
    } else {
        size = fread(stored, 1, sizeof stored, file);
        if (size != printed.size || memcmp(stored, printed.data, size) != 0)
            check_failed("docs/attributes.md is not what the table says: "
                         "run this test with TOTRAIN_WRITE=1");
    }
    CHECK_INT(fclose(file), 0);
    text_deinit(&printed);
}

static void a_network_has_up_to_16_layers(void **state)
{
    struct value items[HIDDEN_LAYERS_MAX + 1];
    struct value list = {.kind = VALUE_LIST, .items = items, .count = HIDDEN_LAYERS_MAX};
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        items[i] = number(8);
        items[i].span.start = 100 + (int)i;
    }
    CHECK_OK(check("model.hidden_units", list, SCOPE_TRAIN | SCOPE_NETWORK, &err));
    list.count++;
    CHECK_FAILS(check("model.hidden_units", list, SCOPE_TRAIN | SCOPE_NETWORK, &err),
                STATUS_INVALID, "has 17 layers, where at most 16");
    CHECK_INT(err.position, 116);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_default_passes_its_own_check),
        cmocka_unit_test(every_name_is_there_once_and_every_alias_leads_to_one),
        cmocka_unit_test(names_are_found_in_any_case),
        cmocka_unit_test(the_ends_of_a_range_belong_to_it),
        cmocka_unit_test(an_unknown_name_is_answered_at_its_place_with_the_nearest),
        cmocka_unit_test(a_known_name_that_is_not_built_is_unsupported),
        cmocka_unit_test(an_attribute_belongs_to_its_statements_and_models),
        cmocka_unit_test(a_list_of_words_may_be_written_with_commas),
        cmocka_unit_test(the_document_is_printed_from_the_table),
        cmocka_unit_test(a_network_has_up_to_16_layers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
