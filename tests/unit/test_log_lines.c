#include "k8s/submit/log_lines.h"
#include "tests/check.h"

#define T1 "2026-11-22T00:00:01.000000001Z "
#define T2 "2026-11-22T00:00:01.000000002Z "
#define T3 "2026-11-22T01:00:02+01:00 " /* a second later, in another zone */

static struct text taken;

static void take(void *context, struct slice line)
{
    (void)context;
    text_append(&taken, line);
    text_append_char(&taken, '|');
}

static void answer(struct log_lines *lines, const char *bytes, bool is_whole)
{
    log_lines_begin(lines);
    for (; *bytes; bytes++) /* a byte at a time */
        log_lines_take(lines, (struct slice){bytes, 1});
    if (is_whole)
        log_lines_end(lines);
}

static void begin(struct log_lines *lines)
{
    text_init(&taken, TEXT_MAXIMUM);
    log_lines_init(lines, NULL, take);
}

static void check(struct log_lines *lines, const char *expected)
{
    CHECK_SLICE(text_slice(&taken), expected);
    log_lines_deinit(lines);
    text_deinit(&taken);
}

static void each_line_is_taken_once_over_many_answers(void **state)
{
    struct log_lines lines;
    (void)state;

    begin(&lines);
    answer(&lines, T1 "a\n" T1 "b\n" T2 "half of c", false);
    answer(&lines, T1 "a\n" T1 "b\n" T2 "c\n", false);
    answer(&lines, T1 "b\n" T2 "c\n" T2 "d\n" T3 "e", true);
    answer(&lines, T2 "c\n" T2 "d\n" T3 "e", true);
    check(&lines, "a|b|c|d|e|");
}

static void a_log_that_begins_later_loses_nothing(void **state)
{
    struct log_lines lines;
    (void)state;

    begin(&lines);
    answer(&lines, T1 "a\n", true);
    answer(&lines, T2 "b\n", true); /* the file was rotated: a is gone */
    answer(&lines, "", true);
    answer(&lines, T3 "c\n", true);
    check(&lines, "a|b|c|");
}

static void what_has_no_time_is_no_line_of_the_log(void **state)
{
    struct log_lines lines;
    (void)state;

    begin(&lines);
    answer(&lines, "failed to watch file\n\n{\"event\":1}\n" T1 "a\n" T2 "\n", true);
    check(&lines, "a||");
}

static void a_line_without_an_end_is_cut(void **state)
{
    struct log_lines lines;
    struct text line;
    (void)state;

    begin(&lines);
    text_init(&line, TEXT_MAXIMUM);
    text_append_string(&line, T1);
    for (size_t i = 0; i < 2 * LOG_LINE_BYTES_MAX; i++)
        text_append_char(&line, 'x');
    log_lines_take(&lines, text_slice(&line));
    log_lines_take(&lines, SLICE("\n" T2 "b\n"));
    CHECK(taken.size < 2 * LOG_LINE_BYTES_MAX);
    text_clear(&taken);
    log_lines_take(&lines, SLICE(T3 "c\n"));
    text_deinit(&line);
    check(&lines, "c|");
}

static void the_next_answer_begins_at_the_second_of_the_last_line(void **state)
{
    struct log_lines lines;
    char text[32];
    (void)state;

    begin(&lines);
    CHECK(log_lines_since(&lines, text).size == 0);
    answer(&lines, T3 "a\n", true);
    CHECK_SLICE(log_lines_since(&lines, text), "2026-11-22T00:00:02Z");
    check(&lines, "a|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_is_taken_once_over_many_answers),
        cmocka_unit_test(a_log_that_begins_later_loses_nothing),
        cmocka_unit_test(what_has_no_time_is_no_line_of_the_log),
        cmocka_unit_test(a_line_without_an_end_is_cut),
        cmocka_unit_test(the_next_answer_begins_at_the_second_of_the_last_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
