#include "runtime/data/spool/column_sample.h"

#include <math.h>

#include "base/random.h"
#include "kinds/network/network_attributes.h"
#include "tests/check.h"

#define COLUMNS 3 /* x, colour (category), n */
#define ROWS    (COLUMN_SAMPLE_ROWS + 1000)

struct table {
    struct input_spec inputs[COLUMNS];
    struct jobspec spec;
    double x[ROWS];
    int64_t n[ROWS];
    uint8_t nulls[ROWS / 8 + 1];
    struct spool_column_view views[COLUMNS];
};

static void set_null(struct table *table, uint32_t row)
{
    table->nulls[row / 8] |= (uint8_t)(1 << row % 8);
}

/* Uniform x in [0, 1), and n in 0 to 99, of a network. */
static void table_init(struct table *table)
{
    *table = (struct table){
        .inputs = {{.name = SLICE("x"), .type = INPUT_NUMERIC},
                   {.name = SLICE("colour"), .type = INPUT_CATEGORY, .vocabulary_max = 100},
                   {.name = SLICE("n"), .type = INPUT_NUMERIC}},
        .spec = {.family = SLICE("network"),
                 .task = TASK_CLASSIFICATION,
                 .input_count = COLUMNS,
                 .label = SLICE("y"),
                 .standardize = true}};
    table->spec.inputs = table->inputs;
    network_params(&table->spec.params)->hidden_units.count = 1;
    for (uint32_t i = 0; i < ROWS; i++) {
        table->x[i] = random_uniform(1, RANDOM_INITIAL, 0, i);
        table->n[i] = (int64_t)(random_bits(1, RANDOM_INITIAL, 1, i) % 100);
    }
    table->views[0] = (struct spool_column_view){.type = SPOOL_REAL,
                                                 .numbers = (const int64_t *)table->x,
                                                 .stride = 1,
                                                 .nulls = table->nulls};
    table->views[1] = (struct spool_column_view){.type = SPOOL_TEXT};
    table->views[2] =
        (struct spool_column_view){.type = SPOOL_INTEGER, .numbers = table->n, .stride = 1};
}

/* Rows [first, end), those that are wanted, from the last to the first where they are turned. */
static void measure(const struct table *table, uint32_t first, uint32_t end, bool are_turned,
                    struct sampled_column *columns)
{
    struct column_sample *sample;
    struct error err;

    memset(columns, 0, COLUMNS * sizeof *columns);
    CHECK_OK(column_sample_new(&table->spec, &sample, &err));
    for (uint32_t i = first; i < end && column_sample_wants(sample); i++)
        column_sample_add(sample, table->views, are_turned ? first + end - 1 - i : i);
    column_sample_measure(sample, columns);
    column_sample_free(sample);
}

static void columns_of_numbers_are_measured(void **state)
{
    struct sampled_column columns[COLUMNS];
    struct table table;
    (void)state;

    table_init(&table);
    measure(&table, 0, ROWS, false, columns);
    CHECK(fabs(columns[0].range.middle - 0.5) < 0.03);
    CHECK(fabs(columns[0].range.deviation - 0.5 / 1.349) < 0.02);
    CHECK(columns[1].range.deviation == 0);
    CHECK(fabs(columns[2].range.middle - 50) < 3 && fabs(columns[2].range.deviation - 37) < 2);
}

static void the_order_of_the_rows_changes_nothing(void **state)
{
    struct sampled_column columns[COLUMNS], turned[COLUMNS];
    struct table table;
    (void)state;

    table_init(&table);
    measure(&table, 0, 1000, false, columns);
    measure(&table, 0, 1000, true, turned);
    assert_memory_equal(columns, turned, sizeof columns);
}

static void no_more_rows_are_wanted_than_are_measured(void **state)
{
    struct sampled_column columns[COLUMNS], first[COLUMNS];
    struct table table;
    (void)state;

    table_init(&table);
    measure(&table, 0, ROWS, false, columns);
    measure(&table, 0, COLUMN_SAMPLE_ROWS, false, first);
    assert_memory_equal(columns, first, sizeof columns);
}

static void nulls_are_no_numbers(void **state)
{
    struct sampled_column columns[COLUMNS], dense[COLUMNS];
    struct table table;
    (void)state;

    table_init(&table);
    measure(&table, 0, 500, false, dense);
    for (uint32_t i = 500; i < 1000; i++)
        set_null(&table, i);
    measure(&table, 0, 1000, false, columns);
    assert_memory_equal(&columns[0], &dense[0], sizeof columns[0]);
    for (uint32_t i = 0; i < 1000; i++)
        set_null(&table, i);
    measure(&table, 0, 1000, false, columns);
    CHECK(columns[0].range.deviation == 0 && columns[2].range.deviation > 0);
}

/* Every so manieth x is the code. */
static void put_code(struct table *table, uint32_t every, double code)
{
    for (uint32_t i = 0; i < ROWS; i += every)
        table->x[i] = code;
}

static void one_far_number_of_many_rows_is_a_code(void **state)
{
    static const struct {
        uint32_t every;
        double code;
        bool is_one;
    } cases[] = {{100, -999, true},  {10, 9999, true}, {2, -999, true}, {3, -1, false},
                 {200, -999, false}, {10, 0, false},   {10, 2, false}};
    struct sampled_column columns[COLUMNS];
    struct table table;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table_init(&table);
        put_code(&table, cases[i].every, cases[i].code);
        measure(&table, 0, ROWS, false, columns);
        CHECK_INT(columns[0].code_cells, cases[i].is_one ? (4095 / cases[i].every) + 1 : 0);
        CHECK_INT(columns[2].code_cells, 0);
        if (!cases[i].is_one)
            continue;
        CHECK(columns[0].code == cases[i].code);
        CHECK_INT(columns[0].cells, COLUMN_SAMPLE_ROWS);
        CHECK(fabs(columns[0].rest.middle - 0.5) < 0.03 && fabs(columns[0].rest_mean - 0.5) < 0.02);
        CHECK(fabs(columns[0].rest_deviation - sqrt(1 / 12.0)) < 0.01);
    }
}

/* 0 that is far from all others, too. */
static void zero_is_a_number(void **state)
{
    struct sampled_column columns[COLUMNS];
    struct table table;
    (void)state;

    table_init(&table);
    for (uint32_t i = 0; i < ROWS; i++)
        table.x[i] += 1000;
    put_code(&table, 5, 0);
    measure(&table, 0, ROWS, false, columns);
    CHECK_INT(columns[0].code_cells, 0);
}

static void far_numbers_that_differ_are_no_codes(void **state)
{
    struct sampled_column columns[COLUMNS];
    struct table table;
    (void)state;

    table_init(&table);
    put_code(&table, 50, -999);
    for (uint32_t i = 1; i < ROWS; i += 40)
        table.x[i] = 1000 + i;
    measure(&table, 0, ROWS, false, columns);
    CHECK_INT(columns[0].code_cells, 0);
}

/* `count` numbers of the sample far away, each another one. */
static double deviation_of(struct table *table, uint32_t count)
{
    struct sampled_column columns[COLUMNS];

    table_init(table);
    network_params(&table->spec.params)->hidden_units.count = 0;
    for (uint32_t i = 0; i < count; i++)
        table->x[i * 7] = 1e6 + i;
    measure(table, 0, ROWS, false, columns);
    return columns[0].range.deviation;
}

/* A linear model has no use for the range of a column whose far cells are more. */
static void of_a_linear_model_far_cells_are_few(void **state)
{
    struct table table;
    (void)state;

    CHECK(deviation_of(&table, 0) > 0);
    CHECK(deviation_of(&table, 1) > 0);
    CHECK(deviation_of(&table, COLUMN_SAMPLE_ROWS / FEW_FAR_OF) > 0);
    CHECK(deviation_of(&table, COLUMN_SAMPLE_ROWS / FEW_FAR_OF + 1) == 0);
}

static void a_job_without_numbers_wants_no_row(void **state)
{
    struct column_sample *sample;
    struct table table;
    struct error err;
    (void)state;

    table_init(&table);
    table.inputs[0].type = table.inputs[2].type = INPUT_CATEGORY;
    CHECK_OK(column_sample_new(&table.spec, &sample, &err));
    CHECK(!sample && !column_sample_wants(sample));
    column_sample_measure(sample, NULL);
    column_sample_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_numbers_are_measured),
        cmocka_unit_test(the_order_of_the_rows_changes_nothing),
        cmocka_unit_test(no_more_rows_are_wanted_than_are_measured),
        cmocka_unit_test(nulls_are_no_numbers),
        cmocka_unit_test(one_far_number_of_many_rows_is_a_code),
        cmocka_unit_test(zero_is_a_number),
        cmocka_unit_test(far_numbers_that_differ_are_no_codes),
        cmocka_unit_test(of_a_linear_model_far_cells_are_few),
        cmocka_unit_test(a_job_without_numbers_wants_no_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
