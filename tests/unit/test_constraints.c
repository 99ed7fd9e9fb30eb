#include "tests/check.h"

#include "codegen/lower_train.h"
#include "parser/parser.h"
#include "planner/plan/plan.h"
#include "planner/plan_statement.h"
#include "tests/unit/described_catalog.h"

/* The model learns from age, debt, plan, the parts of signup, and "a b"; id is left out. */
#define QUERY                                                                                      \
    "-- query: age REAL 150 reals; debt REAL 150 reals; plan TEXT 150 texts; "                     \
    "\"a b\" REAL 150 reals; Debts REAL 150 reals; price REAL 150 reals\n"
#define TRAIN(constraints)                                                                         \
    QUERY "SELECT * FROM t TO TRAIN XGBRegressor WITH " constraints " LABEL price INTO m;"

enum { AGE, DEBT, PLAN, A_B, DEBTS, INPUTS };

struct scene {
    struct described_catalog described;
    struct arena arena;
    struct plan plan;
    struct jobspec spec;
    struct error err;
};

static enum status plan_text(struct scene *scene, const char *text)
{
    const struct slice all = slice_of(text);
    const size_t start = described_catalog_read(&scene->described, all);
    const struct slice sql = {all.data + start, all.size - start};
    struct statement statement;
    struct error *err = &scene->err;

    error_clear(err);
    TRY(parse_statement(sql, &scene->arena, &statement, err));
    TRY(plan_statement(&statement, sql, &scene->described.catalog, &scene->arena, &scene->plan,
                       err));
    return lower_train(&scene->plan, &scene->arena, &scene->spec, err);
}

static void check_directions(const char *text, const int *directions)
{
    struct scene scene;
    struct error err;
    enum status status;

    arena_init(&scene.arena, ARENA_MAXIMUM);
    status = plan_text(&scene, text);
    err = scene.err;
    CHECK_OK(status);
    CHECK_INT(scene.spec.input_count, INPUTS);
    for (size_t i = 0; i < INPUTS; i++)
        if (scene.spec.inputs[i].direction != directions[i])
            check_failed("%s: input %zu goes %d", text, i, scene.spec.inputs[i].direction);
    arena_deinit(&scene.arena);
}

static void check_groups(const char *text, const uint64_t *groups)
{
    struct scene scene;
    struct error err;
    enum status status;

    arena_init(&scene.arena, ARENA_MAXIMUM);
    status = plan_text(&scene, text);
    err = scene.err;
    CHECK_OK(status);
    for (size_t i = 0; i < INPUTS; i++)
        if (scene.spec.inputs[i].groups != groups[i])
            check_failed("%s: input %zu is in other groups", text, i);
    arena_deinit(&scene.arena);
}

/* `at`: what the error's place begins with. */
static void check_refused(const char *text, const char *message, const char *at)
{
    struct scene scene;
    enum status status;
    const char *statement = strstr(text, "SELECT");

    arena_init(&scene.arena, ARENA_MAXIMUM);
    status = plan_text(&scene, text);
    CHECK(status == STATUS_INVALID || status == STATUS_LIMIT);
    if (!strstr(scene.err.message, message))
        check_failed("%s: \"%s\"", text, scene.err.message);
    CHECK(scene.err.position >= 0 && scene.err.hint[0] != '\0');
    if (strncmp(statement + scene.err.position, at, strlen(at)) != 0)
        check_failed("%s: at \"%.20s\"", message, statement + scene.err.position);
    arena_deinit(&scene.arena);
}

static void directions_are_said_by_the_order_of_columns(void **state)
{
    (void)state;

    check_directions(TRAIN("monotone_constraints = '(1,-1,0,0,1)'"), (int[]){1, -1, 0, 0, 1});
    check_directions(TRAIN("monotone_constraints = '[ +1 , -1 ]'"), (int[]){1, -1, 0, 0, 0});
    check_directions(TRAIN("monotone_constraints = '0,1'"), (int[]){0, 1, 0, 0, 0});
    check_directions(TRAIN("monotone_constraints = ' -1 '"), (int[]){-1, 0, 0, 0, 0});
    check_directions(TRAIN("monotonic_cst = '(0, 1)'"), (int[]){0, 1, 0, 0, 0});
    check_directions(TRAIN("eta = 0.1"), (int[]){0, 0, 0, 0, 0});
}

static void directions_are_said_by_name(void **state)
{
    (void)state;

    check_directions(TRAIN("monotone_constraints = '{\"debt\": -1, \"a b\": 1}'"),
                     (int[]){0, -1, 0, 1, 0});
    check_directions(TRAIN("monotone_constraints = '{''age'':1}'"), (int[]){1, 0, 0, 0, 0});
    check_directions(TRAIN("monotone_constraints = '{AGE:1, debts : -1, plan:0}'"),
                     (int[]){1, 0, 0, 0, -1});
    check_directions(TRAIN("monotone_constraints = '{\"a\\ b\": 1}'"), (int[]){0, 0, 0, 1, 0});
}

static void what_no_direction_is_is_refused(void **state)
{
    (void)state;

    check_refused(TRAIN("monotone_constraints = '(1,2)'"), "expected 1, 0 or -1 near \")\"", ")'");
    check_refused(TRAIN("monotone_constraints = '(1,x)'"), "expected 1, 0 or -1 near \"x)\"", "x)");
    check_refused(TRAIN("monotone_constraints = '(1,-1'"), "ends, and a comma or )", "' LABEL");
    check_refused(TRAIN("monotone_constraints = '[1,-1)'"), "expected a comma or ]", ")'");
    check_refused(TRAIN("monotone_constraints = '1 -1'"), "expected the end", "-1'");
    check_refused(TRAIN("monotone_constraints = '(0,0,0,0,0,1)'"), "no column 5 among the 5",
                  "1)'");
    check_refused(TRAIN("monotone_constraints = '(0,0,1)'"), "\"plan\" is a category", "1)'");
    check_refused(TRAIN("monotone_constraints = '{}'"), "expected a column's name", "}'");
    check_refused(TRAIN("monotone_constraints = '{\"age\" 1}'"), "expected a colon", "1}'");
    check_refused(TRAIN("monotone_constraints = '{\"age\": 1'"), "ends, and a comma or }",
                  "' LABEL");
    check_refused(TRAIN("monotone_constraints = '{\"age: 1}'"), "the end of a name in quotes",
                  "' LABEL");
    check_refused(TRAIN("monotone_constraints = '{\"agee\": 1}'"), "\"agee\" is not among",
                  "\"agee");
    check_refused(TRAIN("monotone_constraints = '{\"price\": 1}'"), "does not learn from", "\"pri");
    check_refused(TRAIN("monotone_constraints = '{\"plan\": 1}'"), "\"plan\" is a category",
                  "\"plan");
    check_refused(TRAIN("monotone_constraints = '{\"age\": 99999999999999999999}'"),
                  "expected 1, 0 or -1", "}'");
}

/* A date is one column of the order; a direction needs one of its parts. */
static void parts_of_a_date_are_one_column(void **state)
{
#define DATED(constraints)                                                                         \
    "-- query: signup TEXT 150 texts, 150 dates; age REAL 150 reals; price REAL 150 reals\n"       \
    "SELECT * FROM t TO TRAIN XGBRegressor WITH " constraints " LABEL price INTO m;"
    struct scene scene;
    struct error err;
    enum status status;
    size_t last;
    (void)state;

    arena_init(&scene.arena, ARENA_MAXIMUM);
    status = plan_text(&scene, DATED("monotone_constraints = '(0,1)', "
                                     "interaction_constraints = '[[0],[1,signup.age]]'"));
    err = scene.err;
    CHECK_OK(status);
    last = scene.spec.input_count - 1;
    CHECK(last >= 2);
    CHECK_INT(scene.spec.inputs[last].direction, 1);
    CHECK_INT(scene.spec.inputs[0].direction, 0);
    CHECK_INT(scene.spec.inputs[0].groups, 3);
    CHECK_INT(scene.spec.inputs[1].groups, 1);
    CHECK_INT(scene.spec.inputs[last].groups, 2);
    status = plan_text(&scene, DATED("monotone_constraints = '{\"signup.age\": -1}'"));
    err = scene.err;
    CHECK_OK(status);
    CHECK_INT(scene.spec.inputs[0].direction, -1);
    CHECK_INT(scene.spec.inputs[1].direction, 0);
    arena_deinit(&scene.arena);
    check_refused(DATED("monotone_constraints = '(1)'"), "\"signup\" is a date of several parts",
                  "1)'");
    check_refused(DATED("monotone_constraints = '{\"signup\": 1}'"), "a date of several parts",
                  "\"signup");
#undef DATED
}

static void groups_are_said_by_number_or_by_name(void **state)
{
    (void)state;

    check_groups(TRAIN("interaction_constraints = '[[0, 1], [1, 3, 4]]'"),
                 (uint64_t[]){1, 3, 0, 2, 2});
    check_groups(TRAIN("interaction_constraints = '[0,1],[2]'"), (uint64_t[]){1, 1, 2, 0, 0});
    check_groups(TRAIN("interaction_constraints = '[age]'"), (uint64_t[]){1, 0, 0, 0, 0});
    check_groups(TRAIN("interaction_constraints = ' [ [\"a b\", plan] , [''age''] ] '"),
                 (uint64_t[]){2, 0, 1, 1, 0});
}

static void what_no_group_is_is_refused(void **state)
{
    struct text many;
    (void)state;

    check_refused(TRAIN("interaction_constraints = '0,1'"), "expected a group of columns", "0,1");
    check_refused(TRAIN("interaction_constraints = '[[0],1]'"), "expected a group of columns",
                  "1]'");
    check_refused(TRAIN("interaction_constraints = '[[0,1]'"), "ends, and a comma or ]", "' LABEL");
    check_refused(TRAIN("interaction_constraints = '[[0;1]]'"), "expected a comma or ]", ";1");
    check_refused(TRAIN("interaction_constraints = '[[]]'"), "expected a column near", "]]'");
    check_refused(TRAIN("interaction_constraints = '[[0,]]'"), "expected a column near", "]]'");
    check_refused(TRAIN("interaction_constraints = '[[7]]'"), "no column 7 among the 5", "7]]");
    check_refused(TRAIN("interaction_constraints = '[[agee]]'"), "\"agee\" is not among", "agee");
    check_refused(TRAIN("interaction_constraints = '[\"age'"), "the end of a name in quotes",
                  "' LABEL");
    text_init(&many, TEXT_MAXIMUM);
    text_append_string(&many, QUERY "SELECT * FROM t TO TRAIN XGBRegressor "
                                    "WITH interaction_constraints = '[");
    for (int group = 0; group < 65; group++)
        text_append_string(&many, group == 0 ? "[0]" : ",[0]");
    text_append_string(&many, "]' LABEL price INTO m;");
    check_refused(text_string(&many), "at most 64 groups", "[0]]'");
    text_deinit(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_said_by_the_order_of_columns),
        cmocka_unit_test(directions_are_said_by_name),
        cmocka_unit_test(what_no_direction_is_is_refused),
        cmocka_unit_test(parts_of_a_date_are_one_column),
        cmocka_unit_test(groups_are_said_by_number_or_by_name),
        cmocka_unit_test(what_no_group_is_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
