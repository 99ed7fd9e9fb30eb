#include "inputs/cells/cells.h"
#include "inputs/encoders.h"
#include "inputs/items.h"

#include <math.h>

#include "inputs/input.h"
#include "tests/check.h"

#define ITEMS 4

/* An input with ids below 10, whose rows begin at 100. */
static struct transform_input input_of(enum category_rule rule, enum combiner combiner,
                                       bool is_weighted)
{
    return (struct transform_input){.spec.name = SLICE("CATEGORY_ID(c)"),
                                    .spec.source = SLICE("c"),
                                    .spec.type = INPUT_TEXT,
                                    .spec.rule = rule,
                                    .spec.combiner = combiner,
                                    .spec.is_weighted = is_weighted,
                                    .spec.list = {LIST_ITEMS, ITEMS, 0, ':'},
                                    .hash_buckets = 10,
                                    .spec.words_max = ITEMS,
                                    .first_id = 100};
}

static void check_shares(const struct transform_input *input, const char *text, uint32_t count,
                         const int32_t *ids, const double *shares)
{
    const struct text_ids places = {0, ITEMS, input->spec.combiner, input->spec.is_weighted};
    int32_t found[2 * ITEMS];
    struct text_shares of;

    CHECK(encoder_of(&input->spec)->text_ids(input, slice_of(text), found));
    CHECK_INT(text_ids_used(found, ITEMS), count);
    of = text_shares_of(&places, found, count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK_INT(found[i], ids[i]);
        if (fabs((double)text_share(&of, i) - shares[i]) > 2e-7)
            check_failed("'%s': item %u counts %g, not %g", text, i, (double)text_share(&of, i),
                         shares[i]);
    }
    for (uint32_t i = count; i < text_ids_end(&places); i++)
        CHECK(found[i] < 0);
}

static void items_select_rows_and_count_as_the_combiner_says(void **state)
{
    static const struct {
        enum combiner combiner;
        bool is_weighted;
        const char *text;
        uint32_t count;
        int32_t ids[ITEMS];
        double shares[ITEMS];
    } cases[] = {
        {COMBINER_SUM, false, "7, 3", 2, {103, 107}, {1, 1}},
        {COMBINER_MEAN, false, "7 3", 2, {103, 107}, {0.5, 0.5}},
        {COMBINER_SQRTN, false, "7,3", 2, {103, 107}, {0.70710678, 0.70710678}},
        {COMBINER_MEAN, false, "7,3,7", 3, {103, 107, 107}, {1 / 3.0, 1 / 3.0, 1 / 3.0}},
        {COMBINER_SUM, false, "7:5,3:-2", 2, {103, 107}, {1, 1}}, /* weights do not count */
        {COMBINER_SUM, true, "7:5,3:-2", 2, {103, 107}, {-2, 5}},
        {COMBINER_SUM, true, "7:5,7:-2,7", 3, {107, 107, 107}, {-2, 1, 5}},
        {COMBINER_SUM, true, "0:0", 1, {100}, {0}},
        {COMBINER_MEAN, true, "9:3 0", 2, {100, 109}, {0.25, 0.75}},
        {COMBINER_SQRTN, true, "9:4 0:3", 2, {100, 109}, {0.6, 0.8}},
        {COMBINER_MEAN, true, "9:3 0:0 1:-7", 1, {109}, {1}}, /* the same as in TensorFlow */
        {COMBINER_SQRTN, true, "9:-3", 0, {0}, {0}},
        {COMBINER_MEAN, true, "1:1e-300", 1, {101}, {1}},
        {COMBINER_SUM, false, "", 0, {0}, {0}},
        {COMBINER_MEAN, true, " , ", 0, {0}, {0}},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct transform_input input =
            input_of(RULE_ID, cases[i].combiner, cases[i].is_weighted);

        check_shares(&input, cases[i].text, cases[i].count, cases[i].ids, cases[i].shares);
    }
}

static void a_share_is_never_beyond_what_floats_hold(void **state)
{
    const struct transform_input input = input_of(RULE_ID, COMBINER_SUM, true);
    int32_t ids[2 * ITEMS];
    (void)state;

    CHECK(encoder_of(&input.spec)->text_ids(&input, SLICE("1:1e300 2:-1e300"), ids));
    CHECK(list_share_get(ids[ITEMS]) > 0.99e18f && list_share_get(ids[ITEMS]) <= 1e18f);
    CHECK(list_share_get(ids[ITEMS + 1]) < -0.99e18f);
}

static void a_share_is_stored_as_a_negative_number(void **state)
{
    static const float shares[] = {0, 1, -1, 0.3333333f, -2.5f, 1e18f, -1e18f, 1e-40f};
    (void)state;

    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        CHECK(list_share_put(shares[i]) < 0);
        CHECK(fabsf(list_share_get(list_share_put(shares[i])) - shares[i]) <=
              fabsf(shares[i]) * 2.5e-7f + 1e-44f);
    }
}

static void the_order_of_items_leaves_no_trace(void **state)
{
    const struct transform_input input = input_of(RULE_ID, COMBINER_MEAN, true);
    int32_t ids[2 * ITEMS], others[2 * ITEMS];
    (void)state;

    CHECK(encoder_of(&input.spec)->text_ids(&input, SLICE("7:0.1 3:0.7 7:1e-3 1:0.3"), ids));
    CHECK(encoder_of(&input.spec)->text_ids(&input, SLICE("1:0.3 7:1e-3 7:0.1 3:0.7"), others));
    assert_memory_equal(ids, others, sizeof ids);
}

static void words_are_hashed(void **state)
{
    struct transform_input input = input_of(RULE_HASH, COMBINER_SUM, false);
    int32_t ids[2 * ITEMS];
    (void)state;

    input.spec.list.delimiter = ';';
    CHECK(encoder_of(&input.spec)->text_ids(&input, SLICE(" two words ;; 12"), ids));
    CHECK_INT(text_ids_used(ids, ITEMS), 2);
    CHECK(ids[0] == 100 + (int32_t)(transform_word_hash(SLICE("two words")) % 10) ||
          ids[1] == 100 + (int32_t)(transform_word_hash(SLICE("two words")) % 10));
    CHECK(ids[0] == 100 + (int32_t)(transform_word_hash(SLICE("12")) % 10) ||
          ids[1] == 100 + (int32_t)(transform_word_hash(SLICE("12")) % 10));
}

static void another_text_is_refused(void **state)
{
    static const char *const texts[] = {"10",        "-1",  "x",  "1.0",
                                        "1,2,3,4,5", "1:x", "1:", "1:1e999"};
    const struct transform_input input = input_of(RULE_ID, COMBINER_SUM, true);
    const struct cell cell = {.type = CELL_TEXT, .text = SLICE("1,12")};
    int32_t ids[2 * ITEMS];
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK(!encoder_of(&input.spec)->text_ids(&input, slice_of(texts[i]), ids));
        CHECK(!list_items_fit(&input.spec.list, 10, slice_of(texts[i])));
    }
    CHECK(list_items_fit(&input.spec.list, 10, SLICE(" 9:2, 0 ")));
    CHECK(list_items_fit(&input.spec.list, 0, SLICE("x:1, y")));
    CHECK(!list_items_fit(&input.spec.list, 0, SLICE("x:y")));
    CHECK_FAILS(list_items_refuse(&cell, &input.spec.list, 10, SLICE("c"), &err), STATUS_INVALID,
                "column \"c\" holds '1,12', where a list of up to 4 ids from 0 to 9 or of pairs "
                "with : was expected");
    CHECK_FAILS(list_items_refuse(&cell, &input.spec.list, 0, SLICE("c"), &err), STATUS_INVALID,
                "a list of up to 4 words or of pairs with : was expected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_select_rows_and_count_as_the_combiner_says),
        cmocka_unit_test(a_share_is_never_beyond_what_floats_hold),
        cmocka_unit_test(a_share_is_stored_as_a_negative_number),
        cmocka_unit_test(the_order_of_items_leaves_no_trace),
        cmocka_unit_test(words_are_hashed),
        cmocka_unit_test(another_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
