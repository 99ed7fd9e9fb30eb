#include "tests/check.h"

#include <stdlib.h>

#include "jobspec/job_attributes.h"
#include "jobspec/jobspec.h"
#include "kinds/kinds.h"
#include "planner/attribute.h"
#include "planner/later.h"
#include "planner/plan.h"
#include "tests/unit/other_value.h"

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

static const struct estimator *estimator_named(const char *name)
{
    const struct name named = {.text = slice_of(name)};
    const struct estimator *estimator = NULL;
    struct error err;

    CHECK_OK(estimator_find(&named, &estimator, &err));
    return estimator;
}

static enum status check_for(const char *model, const char *name, struct value value,
                             unsigned scope, struct error *err)
{
    const struct attribute *attribute;
    struct setting one = setting(name, value);

    error_clear(err);
    return attribute_check(&one, scope, model ? estimator_named(model) : NULL, &attribute, err);
}

static enum status check(const char *name, struct value value, unsigned scope, struct error *err)
{
    return check_for(scope & SCOPE_TRAIN ? "DNNClassifier" : NULL, name, value, scope, err);
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
    const struct attribute *attribute;
    struct error err;
    (void)state;

    for (size_t i = 0; (attribute = attribute_number(i)); i++)
        if (attribute->default_value)
            CHECK_OK(check(attribute->name, default_of(attribute), attribute->scope, &err));
}

static void every_name_is_there_once_and_every_alias_leads_to_one(void **state)
{
    const struct attribute *attribute;
    const struct attribute_alias *alias;
    (void)state;

    for (size_t i = 0; (attribute = attribute_number(i)); i++)
        CHECK(attribute_find(slice_of(attribute->name)) == attribute);
    for (size_t i = 0; (alias = attribute_alias_number(i)); i++) {
        const struct slice meant = slice_of(alias->attribute);

        if (later_find(later_attributes, later_attribute_count, meant))
            CHECK(!attribute_find(slice_of(alias->name)));
        else
            CHECK(attribute_find(slice_of(alias->name)) == attribute_find(meant) &&
                  attribute_find(meant));
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
    CHECK_FAILS(check("model.dropout", number(1), SCOPE_TRAIN, &err), STATUS_INVALID,
                "from 0 to 0.99");
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
    CHECK_FAILS(check_for("LinearClassifier", "model.dropout", number(0.5), SCOPE_TRAIN, &err),
                STATUS_INVALID, "without hidden layers");
    assert_string_equal(err.hint, "It belongs to DNNClassifier and DNNRegressor.");
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
    CHECK_OK(check("model.hidden_units", list, SCOPE_TRAIN, &err));
    list.count++;
    CHECK_FAILS(check("model.hidden_units", list, SCOPE_TRAIN, &err), STATUS_INVALID,
                "has 17 layers, where at most 16");
    CHECK_INT(err.position, 116);
}

/* What is written of a member reads back equal, differs from what it is by default, and is needed.
 */
static void check_stored(const struct attribute *attribute, void *members, void *again)
{
    cJSON *object = cJSON_CreateObject();
    struct text json;
    struct error err;

    text_init(&json, TEXT_MAXIMUM);
    attribute_set_default(attribute, members);
    attribute_set_default(attribute, again);
    CHECK(attribute_equal(attribute, members, again));
    set_other_value(attribute, members);
    CHECK(!attribute_equal(attribute, members, again));
    attribute_write(attribute, members, object);
    CHECK_OK(json_print(object, false, &json, &err)); /* numbers are texts until they are parsed */
    cJSON_Delete(object);
    CHECK_OK(json_parse(text_slice(&json), json.size, &object, &err));
    text_deinit(&json);
    CHECK_OK(attribute_read(attribute, object, again, &err));
    CHECK(attribute_equal(attribute, members, again));
    cJSON_DeleteItemFromObjectCaseSensitive(object, attribute->member);
    CHECK_FAILS(attribute_read(attribute, object, again, &err), STATUS_CORRUPT, attribute->member);
    cJSON_Delete(object);
}

static void check_documented(const struct attribute *attribute, const char *document)
{
    char row[128];

    snprintf(row, sizeof row, "\n| %s | ", attribute->name);
    CHECK(strstr(document, row));
    CHECK(attribute->help && attribute->help[0]);
}

/* Out of its range a number is refused, and so is what is of another type. */
static void check_checked(const struct attribute *attribute)
{
    struct error err;

    if (attribute->type == ATTRIBUTE_INTEGER && attribute->most < 0x1p53) {
        CHECK_FAILS(check(attribute->name, number(attribute->most + 1), attribute->scope, &err),
                    STATUS_INVALID, attribute->name);
        CHECK_FAILS(check(attribute->name, number(attribute->least - 1), attribute->scope, &err),
                    STATUS_INVALID, attribute->name);
    } else if (attribute->type == ATTRIBUTE_REAL) {
        CHECK_FAILS(check(attribute->name, number(attribute->most * 2), attribute->scope, &err),
                    STATUS_INVALID, attribute->name);
    }
    CHECK_FAILS(check(attribute->name, (struct value){.kind = VALUE_LIST}, attribute->scope, &err),
                attribute->type == ATTRIBUTE_WORD && attribute->later ? err.status : STATUS_INVALID,
                attribute->name);
}

/* One row is all that a scalar attribute takes: the rest follows from it. */
static void every_attribute_is_checked_stored_compared_and_documented(void **state)
{
    const struct attribute_table *const tables[] = {&job_attributes, kinds[0]->attributes};
    struct text document;
    size_t stored = 0;
    (void)state;

    text_init(&document, DOCUMENT_BYTES_MAX);
    attributes_print_document(&document);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (size_t i = 0; i < tables[t]->count; i++) {
            const struct attribute *attribute = &tables[t]->rows[i];
            struct jobspec a = {.kind = SPEC_TRAIN}, b = a;

            check_checked(attribute);
            check_documented(attribute, text_string(&document));
            CHECK((attribute->store != STORE_NONE) == (attribute->member != NULL));
            if (!attribute->member)
                continue;
            check_stored(attribute, t ? (void *)a.params.bytes : &a,
                         t ? (void *)b.params.bytes : &b);
            stored++;
        }
    }
    CHECK(stored >= 29);
    text_deinit(&document);
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
        cmocka_unit_test(every_attribute_is_checked_stored_compared_and_documented),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
