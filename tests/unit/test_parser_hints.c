/*
 * Habits of other systems, written in a statement of ours, are told apart by their hints.
 */
#include "parser/parser.h"
#include "tests/check.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct mistake {
    const char *sql, *at, *hint; /* at: the text behind the place; "" at the end */
};

static void check_all(const struct mistake *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct mistake *mistake = &list[i];
        const size_t size = strlen(mistake->sql);
        struct statement statement;
        struct arena arena;
        struct error err;
        enum status status;

        arena_init(&arena, ARENA_MAXIMUM);
        status = parse_statement(slice_of(mistake->sql), &arena, &statement, &err);
        if (status != STATUS_SYNTAX || strcmp(err.hint, mistake->hint) != 0)
            check_failed("%s: %s (%s), not (%s)", mistake->sql, err.message, err.hint,
                         mistake->hint);
        if (err.position < 0 || (size_t)err.position > size ||
            strcmp(mistake->sql + err.position, mistake->at) != 0)
            check_failed("%s: %s at %d", mistake->sql, err.message, err.position);
        arena_deinit(&arena);
    }
}

static void attributes_and_their_values(void **state)
{
    static const struct mistake list[] = {
        {"SELECT 1 TO TRAIN X(epochs = 5) INTO m", "(epochs = 5) INTO m",
         "Attributes follow WITH: TO TRAIN X WITH name = value, ..."},
        {"SELECT 1 TO TRAIN X WITH (epochs = 5) INTO m", "(epochs = 5) INTO m",
         "Attributes stand without parentheses: WITH name = value, ..."},
        {"SELECT 1 TO TRAIN X WITH units = 64, 32 INTO m", "32 INTO m",
         "A list is written in brackets: [64, 32]."},
        {"SELECT 1 TO TRAIN X WITH units = (64, 32) INTO m", "(64, 32) INTO m",
         "A list is written in brackets: [16, 16]."},
        {"SELECT 1 TO TRAIN X WITH epochs 5 INTO m", "5 INTO m",
         "An attribute is written name = value."},
        {"SELECT 1 TO TRAIN X WITH epochs == 5 INTO m", "== 5 INTO m", "Write =."},
        {"SELECT 1 TO TRAIN X WITH epochs = ? INTO m", "? INTO m",
         "Parameters are bound in the SELECT alone: write the value here."},
        {"SELECT 1 TO TRAIN X WITH share = 20% INTO m", "% INTO m",
         "A percentage is written as a share: 0.2 for 20 of 100."},
        {"SELECT 1 TO TRAIN X WITH units = [64, 32 INTO m", "INTO m",
         "The [ before it is not closed."},
        {"SELECT 1 TO TRAIN X WITH a = 1 b = 2 INTO m", "b = 2 INTO m",
         "Attributes are separated by commas, and text of more than one word is written in "
         "quotes."},
        {"SELECT 1 TO TRAIN X WITH a = 1 WITH b = 2 INTO m", "WITH b = 2 INTO m",
         "Write all attributes after one WITH, separated by commas."},
    };

    (void)state;
    check_all(list, COUNT(list));
}

static void names_and_clauses(void **state)
{
    static const struct mistake list[] = {
        {"SELECT 1 TO TRAIN 'X' LABEL y INTO m", "'X' LABEL y INTO m",
         "A model's name stands without quotes."},
        {"SELECT 1 TO EVALUATE m LABEL a, b", ", b",
         "LABEL names one column here; TO TRAIN alone takes several."},
        {"SELECT 1 TO TRAIN X LABEL y INTO my-model", "-model",
         "A name with other characters than letters, digits and _ is written in quotes: "
         "\"my-model\"."},
        {"SELECT 1 TO PREDICT USING my-model", "-model",
         "A name with other characters than letters, digits and _ is written in quotes: "
         "\"my-model\"."},
        {"SELECT 1 TO PREDICT USING m SELECT 2", "SELECT 2",
         "Statements are separated by semicolons."},
        {"SELECT 1 TO TRAIN X COLUMN t.a LABEL y INTO m", ".a LABEL y INTO m",
         "Columns are named as the query's result names them, without a table."},
        {"SELECT 1 TO TRAIN X LABEL t.a INTO m", ".a INTO m",
         "Columns are named as the query's result names them, without a table."},
        {"SELECT 1 TO EVALUATE m LABEL t.a", ".a",
         "Columns are named as the query's result names them, without a table."},
        {"SELECT 1 TO TRAIN X COLUMN NUMERIC(t.a) LABEL y INTO m", ".a) LABEL y INTO m",
         "Columns are named as the query's result names them, without a table."},
        {"SELECT 1 TO PREDICT USING a.b.c.d", ".d",
         "A name has at most three parts: database.schema.table."},
        {"EXPLAIN SELECT 1 TO RUN a", "RUN a",
         "EXPLAIN shows the plan of TRAIN, PREDICT and EVALUATE; RUN has none to show."},
        {"SELECT 1 TO TRAIN X COLUMN f(a LABEL y INTO m", "LABEL y INTO m",
         "The ( before it is not closed."},
        {"SELECT 1 TO TRAIN X LABLE y INTO m", "LABLE y INTO m", "Did you mean LABEL?"},
        {"SELECT 1 TO TRAIN X LABEL y INTO 'my model'", "'my model'",
         "A name is written in double quotes: \"my model\"."},
        {"SELECT 1 TO TRAIN X LABEL y INTO my model", "model",
         "A name of two words is written in double quotes: \"my model\"."},
        {"SELECT 1 TO TRAIN X LABEL Churned? INTO m", "? INTO m",
         "A name with other characters than letters, digits and _ is written in double quotes: "
         "\"Churned?\"."},
        {"SELECT 1 TO TRAIN X LABEL Zip code INTO m", "code INTO m",
         "A name of two words is written in double quotes: \"Zip code\"."},
        {"SELECT 1 TO TRAIN X LABEL ? INTO m", "? INTO m",
         "Parameters are bound in the SELECT alone: write the value here."},
        {"SELECT 1 TO TRAIN X LABEL % INTO m", "% INTO m", ""},
        {"SELECT 1 TO TRAIN X LABEL y INTO m, n", ", n", ""},
        {"SELECT 1 TO TRAIN X WITH a = 1 COLUMN f(b, [1, 2] c) INTO m", "c) INTO m",
         "The ( before it is not closed."},
        {"SELECT 1 TO TRAIN X WITH a = 1 COLUMN a b INTO m", "b INTO m",
         "Columns are separated by commas."},
        {"SELECT 1 TO TRAIN X WITH a = 1, COLUMN a LABEL b INTO m", "COLUMN a LABEL b INTO m",
         "Something is missing before COLUMN; to use the word as a name, quote it: \"COLUMN\"."},
        {"SELECT 1 TO TRAIN X COLUMN a, SELECT LABEL b INTO m", "SELECT LABEL b INTO m",
         "Something is missing before SELECT; to use the word as a name, quote it: \"SELECT\"."},
        {"SELECT 1 TO TRAIN X - 1", "- 1", ""},
        {"SELECT 1 TO PREDICT a - b USING m", "- b USING m", ""},
        {"SELECT 1 TO PREDICT USING m, n", ", n", ""},
        {"SELECT 1 TO PREDICT USING - m", "- m", ""},
        {"SELECT 1 TO TRAIN X WITH a = 1, 5 COLUMN b INTO m", "5 COLUMN b INTO m",
         "A list is written in brackets: [64, 32]."},
        {"SELECT 1 TO TRAIN X COLUMN a, 5 INTO m", "5 INTO m", ""},
        {"SHOW MODELS 5", "5", ""},
        {"CANCEL JOB x", "x", "SHOW JOBS; lists the jobs and their numbers."},
        {"ROLLBACK MODEL m TO", "", "The form is: ROLLBACK MODEL model TO version."},
        {"TO TRAIN X INTO m", "TO TRAIN X INTO m",
         "The query for the rows comes first: SELECT * FROM table TO ..."},
        {"WITH TO TRAIN X INTO m", "TO TRAIN X INTO m", ""},
    };

    (void)state;
    check_all(list, COUNT(list));
}

#define MODELS_BY_NAME                                                                             \
    "A query chooses among them: SELECT name, kind, rows FROM totrain_models WHERE name LIKE "     \
    "'c%'; in PostgreSQL FROM totrain.models."

static void a_clause_stands_once_and_none_is_missing(void **state)
{
#define ONCE(word) "A statement has one " word ": leave one of the two out."
    static const struct mistake list[] = {
        {"SELECT 1 TO TRAIN X INTO m LABEL y WITH a = 1 LABEL z", "LABEL z", ONCE("LABEL")},
        {"SELECT 1 TO TRAIN X INTO m LABEL y INTO n", "INTO n", ONCE("INTO")},
        {"SELECT 1 TO TRAIN X USING a INTO m USING b", "USING b", ONCE("USING")},
        {"SELECT 1 TO TRAIN X WITH a = 1 INTO m WITH b = 2", "WITH b = 2",
         "Write all attributes after one WITH, separated by commas."},
        {"SELECT 1 TO PREDICT USING m INTO t USING n", "USING n", ONCE("USING")},
        {"SELECT 1 TO EVALUATE m INTO t LABEL y LABEL z", "LABEL z", ONCE("LABEL")},
        {"SELECT 1 TO EXPLAIN m USING SHAP INTO t USING SHAP", "USING SHAP", ONCE("USING")},
        {"SELECT 1 TO RUN a INTO t CMD 'x' INTO u", "INTO u", ONCE("INTO")},
        {"SELECT 1 TO MAXIMIZE x INTO t WITH a = 1 INTO u", "INTO u", ONCE("INTO")},
        {"FORECAST m WITH a = 1 FOR 3 FOR 4", "FOR 4", ONCE("FOR")},
        {"SELECT 1 TO PREDICT y INTO t", "",
         "The form is: TO PREDICT [[table.]column] [WITH ...] USING model [INTO table]."},
        {"SELECT 1 TO PREDICT USING m LABEL y", "LABEL y",
         "The form is: TO PREDICT [[table.]column] [WITH ...] USING model [INTO table]."},
        {"SELECT 1 TO MINIMIZE x INTO t", "",
         "The form is: TO MINIMIZE expression [CONSTRAINT expression [GROUP BY column], ...] WITH "
         "... [USING solver] INTO table."},
        {"SELECT 1 TO TRAIN X LABEL y WITH a = 1", "",
         "The form is: TO TRAIN model [WITH ...] [COLUMN ... [FOR part]]... [LABEL column, ...] "
         "[USING "
         "old_model] INTO new_model."},
    };
#undef ONCE
    (void)state;

    check_all(list, COUNT(list));
}

static void words_of_other_languages(void **state)
{
    static const struct mistake list[] = {
        {"SELECT 1 TO TRAIN X where a > 1 LABEL y INTO m", "where a > 1 LABEL y INTO m",
         "where belongs to the SELECT, which stands before TO: SELECT ... where ... TO TRAIN"},
        {"SELECT 1 TO TRAIN X LABEL y INTO m LIMIT 5", "LIMIT 5",
         "LIMIT belongs to the SELECT, which stands before TO: SELECT ... LIMIT ... TO TRAIN"},
        {"SELECT 1 TO PREDICT USING m GROUP BY a", "GROUP BY a",
         "GROUP belongs to the SELECT, which stands before TO: SELECT ... GROUP ... TO PREDICT"},
        {"SELECT 1 TO EVALUATE m ORDER BY a", "ORDER BY a",
         "ORDER belongs to the SELECT, which stands before TO: SELECT ... ORDER ... TO EVALUATE"},
        {"SHOW MODELS WHERE a", "WHERE a", MODELS_BY_NAME},
        {"SELECT 1 TO EXPLAIN m ORDER BY importance", "ORDER BY importance",
         "The most important input comes first by itself. INTO importance makes a table, which "
         "SELECT * FROM importance ORDER BY ... reads."},
        {"SELECT 1 TO EXPLAIN m LIMIT 5", "LIMIT 5",
         "WITH summary.max_display = 5 shows the first five inputs. A LIMIT of the rows belongs to "
         "the SELECT, which stands before TO."},
        {"SELECT 1 TO EVALUATE USING m", "USING m", "The model follows EVALUATE, without USING."},
        {"SHOW MODELS LIKE 't%'", "LIKE 't%'", MODELS_BY_NAME},
        {"SELECT 1 TO TRAIN X SET a = 1 INTO m", "SET a = 1 INTO m",
         "Attributes follow WITH: WITH name = value, ..."},
        {"SELECT 1 TO TRAIN X USING a = 1 INTO m", "= 1 INTO m",
         "Attributes follow WITH: WITH name = value, ..."},
        {"SELECT 1 TO TRAIN X TARGET y INTO m", "TARGET y INTO m",
         "The column to learn follows LABEL."},
        {"SELECT 1 TO TRAIN LABEL y INTO m", "y INTO m",
         "LABEL is read as the model's name here: write a model, such as LinearClassifier, before "
         "it."},
        {"SELECT 1 TO TRAIN X LABEL y AS m", "AS m", "The name of what is made follows INTO."},
        {"SELECT 1 TO TRAIN X LABEL y INTO TABLE m", "m", "The name stands alone, without TABLE."},
        {"SELECT 1 TO TRAIN X LABEL y INTO \"TABLE\" m", "m", ""},
        {"SELECT 1 TO PREDICT y FROM m", "FROM m", "The model follows USING."},
        {"SELECT 1 TO PREDICT USING MODEL m", "m", "The name stands alone, without MODEL."},
        {"SHOW MODELS m", "m", "SHOW MODEL m; shows one."},
    };

    (void)state;
    check_all(list, COUNT(list));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_and_their_values),
        cmocka_unit_test(names_and_clauses),
        cmocka_unit_test(a_clause_stands_once_and_none_is_missing),
        cmocka_unit_test(words_of_other_languages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
