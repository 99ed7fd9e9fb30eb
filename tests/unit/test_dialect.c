#include "planner/plan/dialect.h"

#include "tests/check.h"

/* Statements print these members without asking whether they are there. */
static void each_dialect_has_all_words(void **state)
{
    static const enum sql_dialect dialects[] = {SQL_SQLITE, SQL_POSTGRES};

    (void)state;
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        const struct dialect *dialect = dialect_of(dialects[i]);
        const char *const words[] = {dialect->temporary, dialect->at_least, dialect->end_of_real,
                                     dialect->by_parts, dialect->export_bytes};

        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            CHECK(words[w] != NULL);
        CHECK(dialect->name_bytes_max >= 63 && dialect->column_bytes_max >= 63);
    }
}

static void names_are_as_long_as_the_database_takes_them(void **state)
{
    (void)state;
    CHECK(dialect_of(SQL_POSTGRES)->name_bytes_max == 63);
    CHECK(dialect_of(SQL_SQLITE)->name_bytes_max == 200);
    CHECK(dialect_of(SQL_SQLITE)->column_bytes_max > 1000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_dialect_has_all_words),
        cmocka_unit_test(names_are_as_long_as_the_database_takes_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
