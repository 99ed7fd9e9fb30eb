#include "planner/notices/shape_notices.h"

#include <stdio.h>
#include <string.h>

#include "planner/plan/column_kind.h"
#include "tests/check.h"

/* The notice on a column of these words, each of which stands for every other one of 24 rows; %u in
 * them is the row's number from 10 on. */
static struct notice said(const char *name, const char *first, const char *second,
                          enum sql_dialect dialect)
{
    struct query_column column = {.name = slice_of(name)};
    struct notice_list notices = {0};
    const struct plan plan = {.notices = &notices, .dialect = dialect};
    struct cell_census *census;
    struct error err;
    char word[64];
    bool is_said;

    CHECK_OK(cell_census_new(1, NULL, &census, &err));
    for (uint32_t i = 0; i < 24; i++) {
        struct cell cell = {.type = CELL_TEXT};

        snprintf(word, sizeof word, i % 2 ? second : first, 10 + i);
        cell.text = slice_of(word);
        CHECK_OK(cell_count(census, 0, &cell, &err));
    }
    query_column_take(&column, &census->columns[0], 24);
    cell_census_free(census);
    is_said = note_shape(&plan, &column, false);
    CHECK_INT(is_said, notices.count == 1);
    return notices.items[0];
}

static void check(const struct notice *notice, const char *text, const char *hint)
{
    if (!strstr(notice->text, text) || strcmp(notice->hint, hint) != 0)
        check_failed("%s (%s)", notice->text, notice->hint);
}

static void each_shape_has_a_name_and_the_sql_of_its_database(void **state)
{
    static const struct {
        const char *first, *second, *text, *sqlite, *postgres;
    } cases[] = {
        {"%u-99", "%u - 99", "2 numbers with '-' between them, such as '10-99', and all are",
         "CAST(v AS REAL) AS v_1, CAST(substr(v, instr(v, '-') + 1) AS REAL) AS v_2 makes numbers "
         "of them.",
         "(regexp_split_to_array(v, '[^0-9.]+'))[1]::float8 AS v_1, (regexp_split_to_array(v, "
         "'[^0-9.]+'))[2]::float8 AS v_2 makes numbers of them."},
        {"(%u) 5-7", "(%u)6-8", "3 numbers with signs between them",
         "CAST(ltrim(v, '([+ ') AS REAL) AS v_1, CAST(substr(ltrim(v, '([+ '), instr(ltrim(v, '([+ "
         "'), ')') + 1) AS REAL) AS v_2, CAST(substr(ltrim(v, '([+ '), instr(ltrim(v, '([+ '), "
         "'-') "
         "+ 1) AS REAL) AS v_3 makes numbers of them.",
         "(regexp_split_to_array(ltrim(v, '([+ '), '[^0-9.]+'))[1]::float8 AS v_1, "
         "(regexp_split_to_array(ltrim(v, '([+ '), '[^0-9.]+'))[2]::float8 AS v_2, "
         "(regexp_split_to_array(ltrim(v, '([+ '), '[^0-9.]+'))[3]::float8 AS v_3 makes numbers of "
         "them."},
        {"%u-1/2-3", "%u-1/2-4", "4 numbers with signs between them",
         "Make a column of each of its numbers in the SELECT.",
         "Make a column of each of its numbers in the SELECT."},
        {"%u°30'", "%u°45'", "2 numbers with '°' between them",
         "CAST(v AS REAL) + CAST(substr(v, instr(v, '°') + 1) AS REAL) / 60 AS v makes degrees of "
         "them.",
         "(regexp_split_to_array(v, '[^0-9.]+'))[1]::float8 + (regexp_split_to_array(v, "
         "'[^0-9.]+'))[2]::float8 / 60 AS v makes degrees of them."},
        {"%uth", "%uth", "ordinal numbers",
         "CAST(replace(v, ',', '') AS INTEGER) AS v leaves the numbers.",
         "substring(replace(v, ',', ''), '[0-9]+')::integer AS v leaves the numbers."},
        {"<%u", "%u+", "bounds or rough numbers",
         "CAST(ltrim(replace(v, ',', ''), '<>=~≤≥≈± ') AS REAL) AS v leaves the numbers.",
         "substring(replace(v, ',', ''), '-?[0-9.]+')::float8 AS v leaves the numbers."},
        {"%u days 5 h", "%u days 6 h", "durations",
         "The SELECT can add up their parts, as by substr and instr.",
         "EXTRACT(epoch FROM v::interval) / 60 AS v makes minutes of them."},
        {"%u kg", "%u lb", "numbers with several units",
         "CAST(replace(v, ',', '') AS REAL) AS v, trim(v, '0123456789.,+- ') AS v_unit makes a "
         "number and a word of each.",
         "substring(replace(v, ',', ''), '-?[0-9.]+')::float8 AS v, btrim(v, '0123456789.,+- ') AS "
         "v_unit makes a number and a word of each."},
        {"%uk", "%uM", "numbers with several units",
         "CAST(replace(v, ',', '') AS REAL) * CASE WHEN v LIKE '%k%' THEN 1e3 WHEN v LIKE '%m%' "
         "THEN 1e6 WHEN v LIKE '%b%' THEN 1e9 WHEN v LIKE '%t%' THEN 1e12 ELSE 1 END AS v makes "
         "numbers of them.",
         "substring(replace(v, ',', ''), '-?[0-9.]+')::float8 * CASE WHEN v ILIKE '%k%' THEN 1e3 "
         "WHEN v ILIKE '%m%' THEN 1e6 WHEN v ILIKE '%b%' THEN 1e9 WHEN v ILIKE '%t%' THEN 1e12 "
         "ELSE 1 END AS v makes numbers of them."},
        {"%uk", "%u", "numbers with a unit",
         "CAST(replace(v, ',', '') AS REAL) * CASE WHEN v LIKE '%k%' THEN 1e3 WHEN v LIKE '%m%' "
         "THEN 1e6 WHEN v LIKE '%b%' THEN 1e9 WHEN v LIKE '%t%' THEN 1e12 ELSE 1 END AS v makes "
         "numbers of them.",
         "substring(replace(v, ',', ''), '-?[0-9.]+')::float8 * CASE WHEN v ILIKE '%k%' THEN 1e3 "
         "WHEN v ILIKE '%m%' THEN 1e6 WHEN v ILIKE '%b%' THEN 1e9 WHEN v ILIKE '%t%' THEN 1e12 "
         "ELSE 1 END AS v makes numbers of them."},
        {"%u,5k", "%u,5", "numbers with a unit",
         "CAST(replace(replace(v, '.', ''), ',', '.') AS REAL) * CASE WHEN v LIKE '%k%' THEN 1e3 "
         "WHEN v LIKE '%m%' THEN 1e6 WHEN v LIKE '%b%' THEN 1e9 WHEN v LIKE '%t%' THEN 1e12 ELSE 1 "
         "END AS v makes numbers of them.",
         "substring(replace(replace(v, '.', ''), ',', '.'), '-?[0-9.]+')::float8 * CASE WHEN v "
         "ILIKE '%k%' THEN 1e3 WHEN v ILIKE '%m%' THEN 1e6 WHEN v ILIKE '%b%' THEN 1e9 WHEN v "
         "ILIKE '%t%' THEN 1e12 ELSE 1 END AS v makes numbers of them."},
        {"%u kg", "%u", "numbers with a unit", "replace(v, 'kg', '') AS v leaves the numbers.",
         "replace(v, 'kg', '') AS v leaves the numbers."},
        {"%uk", "%u.1k", "numbers with a unit", "replace(v, 'k', '') AS v leaves the numbers.",
         "replace(v, 'k', '') AS v leaves the numbers."},
        {"19%u-07", "20%u-08", "dates in a form that is not read",
         "v || '-01' AS v makes dates of them.", "v || '-01' AS v makes dates of them."},
        {"19%u-13", "20%u-14", "dates in a form that is not read",
         "Dates are read as 2024-01-31: the SELECT can make them of their parts, as by substr. "
         "COLUMN VOCABULARY(v) reads them as words without a notice.",
         "Dates are read as 2024-01-31: the SELECT can make them of their parts, as by to_date. "
         "COLUMN VOCABULARY(v) reads them as words without a notice."},
        {"Jan 20%u", "Feb 20%u", "dates in a form that is not read",
         "substr(v, -4) || '-' || printf('%02d', "
         "(instr('janfebmaraprmayjunjulaugsepoctnovdec', lower(substr(v, 1, 3))) + 2) / 3) || "
         "'-01' AS v makes dates of them.",
         "to_date(left(v, 3) || right(v, 4), 'MonYYYY') AS v makes dates of them."},
        {"week %u of 2024", "week %u of 2023", "dates in a form that is not read",
         "Dates are read as 2024-01-31: the SELECT can make them of their parts, as by substr. "
         "COLUMN VOCABULARY(v) reads them as words without a notice.",
         "Dates are read as 2024-01-31: the SELECT can make them of their parts, as by to_date. "
         "COLUMN VOCABULARY(v) reads them as words without a notice."},
        {"\"%u\"", "\"%u\"", "numbers in quotes", "trim(v, '\"') AS v leaves the numbers.",
         "trim(v, '\"') AS v leaves the numbers."},
        {"'%u'", "'%u'", "numbers in quotes", "trim(v, '''') AS v leaves the numbers.",
         "trim(v, '''') AS v leaves the numbers."},
        {"5:%u", "6:%u", "times of day",
         "CAST(v AS INTEGER) + substr(v, instr(v, ':') + 1, 2) / 60.0 AS v makes hours of them.",
         "EXTRACT(epoch FROM v::interval) / 3600 AS v makes hours of them."},
        {"5:%u pm", "6:%u pm", "times of day",
         "CAST(v AS INTEGER) % 12 + 12 * (v LIKE '%p%') + substr(v, instr(v, ':') + 1, 2) / 60.0 "
         "AS v makes hours of them.",
         "EXTRACT(epoch FROM v::time) / 3600 AS v makes hours of them."},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct notice notice = said("v", cases[i].first, cases[i].second, SQL_SQLITE);

        check(&notice, cases[i].text, cases[i].sqlite);
        notice = said("v", cases[i].first, cases[i].second, SQL_POSTGRES);
        check(&notice, cases[i].text, cases[i].postgres);
    }
}

static void sql_that_would_be_cut_off_is_none(void **state)
{
    const char *name =
        "a column whose name is long, as it is a sentence of a questionnaire that somebody took";
    struct notice notice = said(name, "%u.1.1", "%u.1.2", SQL_SQLITE);
    (void)state;

    check(&notice, "3 numbers with '.' between them",
          "Make columns of their numbers in the SELECT.");
    notice = said("a column whose name is rather a sentence", "%u.1.1", "%u.1.2", SQL_SQLITE);
    check(&notice, "3 numbers with '.' between them", "Make columns of their parts in the SELECT.");
    notice = said("v", "red", "green", SQL_SQLITE);
    CHECK_INT(notice.text[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_shape_has_a_name_and_the_sql_of_its_database),
        cmocka_unit_test(sql_that_would_be_cut_off_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
