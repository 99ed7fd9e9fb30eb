#include "tests/check.h"

#include "runtime/learn/trees/growth/tree_constraints.h"

enum { COLUMNS = 5 };

/* The first column is of the last input, and so on. */
static void constraints_open(struct tree_constraints *constraints, struct input_spec *inputs)
{
    struct tree_column columns[COLUMNS];
    const struct tree_bins bins = {.columns = columns, .column_count = COLUMNS};
    const struct jobspec spec = {.inputs = inputs, .input_count = COLUMNS};
    struct error err;

    for (uint32_t c = 0; c < COLUMNS; c++)
        columns[c] = (struct tree_column){.input = COLUMNS - 1 - c};
    CHECK_OK(tree_constraints_init(constraints, &spec, &bins, &err));
}

/* Bit c: the node may be split by column c. */
static uint32_t narrowed(const struct tree_constraints *constraints, struct tree_above above,
                         uint32_t from)
{
    uint8_t allowed[COLUMNS];
    uint32_t bits = 0;

    for (uint32_t c = 0; c < COLUMNS; c++)
        allowed[c] = from >> c & 1;
    tree_constraints_narrow(constraints, above, allowed);
    for (uint32_t c = 0; c < COLUMNS; c++)
        bits |= (uint32_t)allowed[c] << c;
    return bits;
}

static void columns_without_constraints_may_all_be_together(void **state)
{
    struct input_spec inputs[COLUMNS] = {{.direction = 0}};
    struct tree_constraints constraints;
    struct tree_above above = {.is_root = true};
    (void)state;

    constraints_open(&constraints, inputs);
    CHECK(!constraints.directions && !constraints.groups);
    CHECK_INT(narrowed(&constraints, above, 31), 31);
    above = tree_constraints_below(&constraints, above, 2);
    CHECK(!above.is_root);
    CHECK_INT(narrowed(&constraints, above, 31), 31);
    CHECK_INT(narrowed(&constraints, above, 5), 5);
    tree_constraints_deinit(&constraints);
}

static void directions_are_those_of_the_columns_inputs(void **state)
{
    struct input_spec inputs[COLUMNS] = {[0] = {.direction = -1}, [3] = {.direction = 1}};
    struct tree_constraints constraints;
    (void)state;

    constraints_open(&constraints, inputs);
    CHECK(constraints.directions && !constraints.groups);
    CHECK_INT(constraints.directions[4], -1);
    CHECK_INT(constraints.directions[3], 0);
    CHECK_INT(constraints.directions[1], 1);
    tree_constraints_deinit(&constraints);
}

/* {0, 1}, {1, 2, 3}, and 4 in no group, by the columns' numbers. */
static void a_node_is_split_by_columns_of_the_groups_above_it(void **state)
{
    struct input_spec inputs[COLUMNS] = {
        [1] = {.groups = 2}, [2] = {.groups = 2}, [3] = {.groups = 3}, [4] = {.groups = 1}};
    const struct tree_above root = {.is_root = true};
    struct tree_constraints constraints;
    struct tree_above above;
    (void)state;

    constraints_open(&constraints, inputs);
    CHECK(!constraints.directions && constraints.groups);
    CHECK_INT(narrowed(&constraints, root, 31), 31);

    above = tree_constraints_below(&constraints, root, 1);
    CHECK_INT(narrowed(&constraints, above, 31), 1 | 2 | 4 | 8);
    CHECK_INT(narrowed(&constraints, tree_constraints_below(&constraints, above, 0), 31), 1 | 2);
    above = tree_constraints_below(&constraints, above, 3);
    CHECK_INT(narrowed(&constraints, above, 31), 2 | 4 | 8);
    above = tree_constraints_below(&constraints, above, 1);
    CHECK_INT(narrowed(&constraints, above, 31), 2 | 4 | 8);
    CHECK_INT(narrowed(&constraints, above, 1 | 4), 4);

    above = tree_constraints_below(&constraints, root, 4);
    CHECK_INT(narrowed(&constraints, above, 31), 16);
    CHECK_INT(narrowed(&constraints, tree_constraints_below(&constraints, above, 4), 31), 16);
    tree_constraints_deinit(&constraints);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_without_constraints_may_all_be_together),
        cmocka_unit_test(directions_are_those_of_the_columns_inputs),
        cmocka_unit_test(a_node_is_split_by_columns_of_the_groups_above_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
