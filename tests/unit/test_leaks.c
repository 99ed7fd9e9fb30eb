#include "runtime/learn/leaks.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "tests/check.h"

#define ROWS 400

/* One column to be looked at, behind one that says nothing. */
struct table {
    struct transform_input inputs[2];
    float dense[ROWS * 3], values[ROWS];
    int32_t ids[ROWS], classes[ROWS];
    struct dataset dataset;
};

static double random_of(uint64_t stream, uint64_t row)
{
    return random_uniform(5, RANDOM_INITIAL, stream, row);
}

/* classes 0: a number. The label of a row is random. */
static void table_init(struct table *table, enum input_type type, uint32_t classes)
{
    *table = (struct table){.inputs = {{.spec.name = SLICE("noise")},
                                       {.spec.name = SLICE("x"),
                                        .spec.type = type,
                                        .has_nulls = type == INPUT_NUMERIC,
                                        .scale = 1,
                                        .dense_count = 2,
                                        .dense_offset = 1}}};
    for (uint32_t i = 0; i < ROWS; i++) {
        table->dense[3 * i] = (float)random_of(0, i);
        table->values[i] = (float)random_of(1, i);
        table->classes[i] = (int32_t)(random_of(2, i) * classes);
    }
    table->dataset =
        (struct dataset){.transform = {.inputs = table->inputs,
                                       .input_count = 2,
                                       .column_count = 2,
                                       .dense_width = 3,
                                       .id_count = type == INPUT_CATEGORY},
                         .labels.count = classes,
                         .sample = {.rows = ROWS, .dense = table->dense, .ids = table->ids}};
    if (classes > 0)
        table->dataset.sample.classes = table->classes;
    else
        table->dataset.sample.values = table->values;
}

static void set_number(struct table *table, uint32_t row, double number)
{
    table->dense[3 * row + 1] = (float)number;
}

static struct notice_list look(const struct table *table)
{
    struct notice_list notices = {0};
    struct leaks leaks;
    struct error err;

    CHECK_OK(leaks_init(&leaks, &table->dataset, SLICE("y"), &err));
    while (!leaks_are_done(&leaks))
        CHECK_OK(leaks_some(&leaks, &notices, &err));
    leaks_deinit(&leaks);
    return notices;
}

static void check_leak(const struct table *table, const char *finding)
{
    const struct notice_list notices = look(table);
    char text[200];

    CHECK_INT(notices.count, 1);
    CHECK(notices.items[0].kind == NOTICE_LEAK);
    snprintf(text, sizeof text, "column \"x\" alone predicts \"y\": %s", finding);
    assert_string_equal(notices.items[0].text, text);
    CHECK(strstr(notices.items[0].hint, "Is it known before"));
}

static void check_none(const struct table *table)
{
    CHECK_INT(look(table).count, 0);
}

static void numbers_that_rank_two_classes_are_a_leak(void **state)
{
    struct table table;
    (void)state;

    table_init(&table, INPUT_NUMERIC, 2);
    for (uint32_t i = 0; i < ROWS; i++)
        set_number(&table, i, table.classes[i] + random_of(3, i));
    check_leak(&table, "AUC 1 on 400 rows");
    for (uint32_t i = 0; i < ROWS; i++)
        set_number(&table, i, -table.dense[3 * i + 1]);
    check_leak(&table, "AUC 1 on 400 rows");
    for (uint32_t i = 0; i < ROWS; i++)
        set_number(&table, i, table.classes[i] + 1.1 * random_of(3, i));
    check_none(&table);
}

static void numbers_that_name_one_of_many_classes_are_a_leak(void **state)
{
    struct table table;
    (void)state;

    table_init(&table, INPUT_NUMERIC, 5);
    for (uint32_t i = 0; i < ROWS; i++)
        set_number(&table, i, table.classes[i] * 7 % 5 - 2 + random_of(3, i) / 2);
    check_leak(&table, "right in 100 % of 200 rows");
    for (uint32_t i = 1; i < ROWS; i += 20)
        set_number(&table, i, 5 - 5 * random_of(4, i));
    check_none(&table);
}

/* 40 numbers of 10 rows each, which an effect of their own or their size tells of. */
static void numbers_that_are_rather_names_are_noticed(void **state)
{
    struct notice_list notices;
    struct table table;
    (void)state;

    table_init(&table, INPUT_NUMERIC, 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t id = (uint32_t)(40 * random_of(6, i));

        set_number(&table, i, id);
        table.values[i] += (float)(2 * random_of(7, id));
    }
    notices = look(&table);
    CHECK_INT(notices.count, 1);
    CHECK(notices.items[0].kind == NOTICE_READING);
    CHECK(strstr(notices.items[0].text, "column \"x\" holds numbers that seem to be names"));
    assert_string_equal(notices.items[0].hint, "COLUMN VOCABULARY(x) reads them as words.");
    table.dataset.transform.column_count = 1;
    CHECK_INT(look(&table).count, 1);
    table.dataset.transform.column_count = 2;
    table.inputs[1].scale = 0.01; /* measures, and no names */
    check_none(&table);
    table.inputs[1].scale = 1;
    for (uint32_t i = 0; i < ROWS; i++)
        table.values[i] = (float)(random_of(1, i) + table.dense[3 * i + 1] / 20);
    check_none(&table);
    for (uint32_t i = 0; i < ROWS; i++)
        table.values[i] = (float)random_of(1, i);
    check_none(&table);
}

static void ids_of_classes_are_noticed(void **state)
{
    struct table table;
    (void)state;

    table_init(&table, INPUT_NUMERIC, 2);
    for (uint32_t i = 0; i < ROWS; i++) {
        const uint32_t id = (uint32_t)(40 * random_of(6, i));

        set_number(&table, i, id);
        table.classes[i] = random_of(8, i) < .1 ? i % 2 : random_of(7, id) < .5;
    }
    CHECK_INT(look(&table).count, 1);
}

static float many_dense[3 * 4000], many_values[4000];

/* 500 numbers of 8 rows each, whose own effects are a fifth of the label's spread; and the same
 * spread by a line. */
static void many_names_are_noticed_where_each_tells_little(void **state)
{
    struct table table;
    (void)state;

    table_init(&table, INPUT_NUMERIC, 0);
    table.dataset.sample = (struct dataset_part){
        .rows = 4000, .dense = many_dense, .ids = table.ids, .values = many_values};
    for (uint32_t i = 0; i < 4000; i++) {
        const uint32_t id = (uint32_t)(500 * random_of(6, i));

        many_dense[3 * i] = (float)random_of(0, i);
        many_dense[3 * i + 1] = (float)id;
        many_values[i] = (float)(random_of(1, i) + random_of(7, id) / 2);
    }
    CHECK_INT(look(&table).count, 1);
    for (uint32_t i = 0; i < 4000; i++)
        many_values[i] = (float)(random_of(1, i) + many_dense[3 * i + 1] / 1500);
    check_none(&table);
    for (uint32_t i = 0; i < 4000; i++)
        many_values[i] = (float)random_of(1, i);
    check_none(&table);
}

/* One label of a million tells nothing of the rest, whichever half it is in. */
static void a_far_label_makes_no_leak(void **state)
{
    struct table table;
    (void)state;

    for (uint32_t far = 6; far < 8; far++) {
        table_init(&table, INPUT_NUMERIC, 0);
        for (uint32_t i = 0; i < ROWS; i++)
            set_number(&table, i, random_of(3, i));
        table.values[far] = 1e6f;
        check_none(&table);
    }
}

/* Two columns that are nearly the same, and a label that goes by what they differ by. */
static void a_difference_that_explains_is_told(void **state)
{
    struct transform_input inputs[2] = {
        {.spec.name = SLICE("begin"), .scale = 1000, .dense_count = 1},
        {.spec.name = SLICE("the end"), .scale = 1000, .dense_count = 1, .dense_offset = 1}};
    struct notice_list notices = {0};
    struct table table;
    struct leaks leaks;
    struct error err;
    (void)state;

    table_init(&table, INPUT_NUMERIC, 0);
    table.dataset.transform.inputs = inputs;
    for (uint32_t i = 0; i < ROWS; i++) {
        table.dense[3 * i] = (float)(random_of(3, i) + (i == 7 ? (double)NAN : 0));
        table.dense[3 * i + 1] = table.dense[3 * i] + (float)(table.values[i] / 1000);
    }
    CHECK_OK(leaks_init(&leaks, &table.dataset, SLICE("y"), &err));
    while (!leaks_are_done(&leaks))
        CHECK_OK(leaks_some(&leaks, &notices, &err));
    CHECK_INT(notices.count, 0);
    CHECK(leaks.copies.explained > .95 && leaks.copies.factor == 1);
    CHECK(!leaks_explain(&leaks, .9, &notices));
    CHECK(leaks_explain(&leaks, .1, &notices));
    CHECK_INT(notices.count, 1);
    CHECK(strstr(notices.items[0].text, "columns \"begin\" and \"the end\" are nearly the same"));
    assert_string_equal(notices.items[0].hint,
                        "\"the end\" - begin AS difference in the SELECT makes a column of it.");
    leaks.copies.factor = -2;
    CHECK(leaks_explain(&leaks, .1, &notices));
    CHECK(strstr(notices.items[1].hint, "\"the end\" + 2 * begin AS"));
    inputs[0].spec.part = DATE_AGE;
    CHECK(leaks_explain(&leaks, .1, &notices));
    CHECK(strstr(notices.items[2].hint, "julianday(\"the end\") - julianday(begin)"));
    leaks_deinit(&leaks);

    inputs[0].spec.part = DATE_WHOLE;
    for (uint32_t i = 0; i < ROWS; i++)
        table.dense[3 * i + 1] = (float)random_of(9, i);
    CHECK_OK(leaks_init(&leaks, &table.dataset, SLICE("y"), &err));
    while (!leaks_are_done(&leaks))
        CHECK_OK(leaks_some(&leaks, &notices, &err));
    CHECK(leaks.copies.explained == 0);
    leaks_deinit(&leaks);
}

static void what_a_column_explains_and_the_model_does_not_is_said(void **state)
{
    struct notice_list notices = {0};
    struct table table;
    struct leaks leaks;
    struct error err;
    (void)state;

    table_init(&table, INPUT_NUMERIC, 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        set_number(&table, i, random_of(6, i));
        table.values[i] = (float)(fabs(random_of(6, i) - .5) + random_of(1, i) / 10);
    }
    CHECK_OK(leaks_init(&leaks, &table.dataset, SLICE("y"), &err));
    while (!leaks_are_done(&leaks))
        CHECK_OK(leaks_some(&leaks, &notices, &err));
    CHECK_INT(notices.count, 0);
    CHECK(leaks.best == 1 && leaks.explained > .8);
    CHECK(!leaks_explain(&leaks, leaks.explained - .2, &notices));
    CHECK_INT(notices.count, 0);
    CHECK(leaks_explain(&leaks, .1, &notices));
    CHECK_INT(notices.count, 1);
    CHECK(strstr(notices.items[0].text, "where column \"x\" alone explains 0."));
    leaks_deinit(&leaks);
}

static void a_null_that_names_a_class_is_a_leak(void **state)
{
    struct table table;
    (void)state;

    table_init(&table, INPUT_NUMERIC, 3);
    for (uint32_t i = 0; i < ROWS; i++) {
        table.dense[3 * i + 2] = table.classes[i] == 1;
        set_number(&table, i,
                   table.classes[i] == 1 ? 0 : (table.classes[i] - 1) * (.01 + random_of(3, i)));
    }
    check_leak(&table, "right in 100 % of 200 rows");
}

/* NaN among numbers as they are; what follows it in a row is another column's. */
static void a_number_that_is_missing_is_as_a_null(void **state)
{
    struct table table;
    (void)state;

    table_init(&table, INPUT_NUMERIC, 3);
    table.inputs[1].dense_count = 1;
    for (uint32_t i = 0; i < ROWS; i++) {
        table.dense[3 * i + 2] = 1;
        set_number(&table, i,
                   table.classes[i] == 1 ? (double)NAN
                                         : (table.classes[i] - 1) * (.01 + random_of(3, i)));
    }
    check_leak(&table, "right in 100 % of 200 rows");
}

static void words_that_name_the_class_are_a_leak(void **state)
{
    struct table table;
    (void)state;

    table_init(&table, INPUT_CATEGORY, 3);
    for (uint32_t i = 0; i < ROWS; i++)
        table.ids[i] = table.classes[i] == 2 ? -1 : table.classes[i] * 2 + (int32_t)(i % 2 == 0);
    check_none(&table); /* the judged rows have other words than the rule */
    for (uint32_t i = 0; i < ROWS; i++)
        table.ids[i] = table.classes[i] == 2 ? -1 : table.classes[i] * 4 + (int32_t)(i / 2 % 4);
    check_leak(&table, "right in 100 % of 200 rows");
    for (uint32_t i = 0; i < ROWS; i++)
        table.ids[i] = (int32_t)i;
    check_none(&table); /* a key */
}

static void a_column_that_gives_the_number_is_a_leak(void **state)
{
    struct table table;
    (void)state;

    table_init(&table, INPUT_NUMERIC, 0);
    for (uint32_t i = 0; i < ROWS; i++)
        set_number(&table, i, 3 - 2 * table.values[i]);
    check_leak(&table, "R2 0.9998 on 200 rows"); /* by the nearest number */
    for (uint32_t i = 0; i < ROWS; i++)
        set_number(&table, i, table.values[i] + random_of(3, i) / 10);
    check_none(&table);

    table_init(&table, INPUT_CATEGORY, 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        table.ids[i] = (int32_t)(10 * random_of(3, i));
        table.values[i] = (float)table.ids[i];
    }
    check_leak(&table, "R2 1 on 200 rows");
}

static void of_little_nothing_is_said(void **state)
{
    struct table table;
    (void)state;

    table_init(&table, INPUT_NUMERIC, 2);
    for (uint32_t i = 0; i < ROWS; i++)
        set_number(&table, i, table.classes[i]);
    check_leak(&table, "AUC 1 on 400 rows");
    table.dataset.transform.column_count = 1; /* it is there to predict */
    check_none(&table);
    table.dataset.transform.column_count = 2;
    table.dataset.sample.rows = LEAK_ROWS_MIN - 1;
    check_none(&table);
    table.dataset.sample.rows = ROWS;
    table.dataset.sample.classes = NULL; /* clusters */
    check_none(&table);

    table_init(&table, INPUT_NUMERIC, 2);
    for (uint32_t i = 0; i < ROWS; i++)
        set_number(&table, i, table.classes[i] = i % 21 == 0); /* 10 that judge */
    check_none(&table);
    table_init(&table, INPUT_NUMERIC, 0);
    for (uint32_t i = 0; i < ROWS; i++)
        table.values[i] = 1;
    check_none(&table);
}

static void a_call_takes_some_inputs(void **state)
{
    static struct transform_input inputs[1200];
    struct notice_list notices = {0};
    struct leaks leaks;
    struct table table;
    struct error err;
    int calls = 0;
    (void)state;

    table_init(&table, INPUT_NUMERIC, 2);
    table.dataset.transform.inputs = inputs;
    table.dataset.transform.input_count = 1200;
    CHECK_OK(leaks_init(&leaks, &table.dataset, SLICE("y"), &err));
    for (; !leaks_are_done(&leaks); calls++)
        CHECK_OK(leaks_some(&leaks, &notices, &err));
    CHECK_INT(calls, 4); /* the last one of pairs */
    leaks_deinit(&leaks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_rank_two_classes_are_a_leak),
        cmocka_unit_test(numbers_that_name_one_of_many_classes_are_a_leak),
        cmocka_unit_test(numbers_that_are_rather_names_are_noticed),
        cmocka_unit_test(ids_of_classes_are_noticed),
        cmocka_unit_test(a_difference_that_explains_is_told),
        cmocka_unit_test(a_far_label_makes_no_leak),
        cmocka_unit_test(many_names_are_noticed_where_each_tells_little),
        cmocka_unit_test(what_a_column_explains_and_the_model_does_not_is_said),
        cmocka_unit_test(a_null_that_names_a_class_is_a_leak),
        cmocka_unit_test(a_number_that_is_missing_is_as_a_null),
        cmocka_unit_test(words_that_name_the_class_are_a_leak),
        cmocka_unit_test(a_column_that_gives_the_number_is_a_leak),
        cmocka_unit_test(of_little_nothing_is_said),
        cmocka_unit_test(a_call_takes_some_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
