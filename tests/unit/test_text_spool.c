#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extension/engine/rows/text_spool.h"
#include "runtime/data/spool/spool.h"
#include "runtime/data/spool/spool_writer.h"
#include "tests/check.h"

#define LONG_BYTES (2 * SPOOL_TEXT_BYTES_MAX + 7)

static char path[64];

static int make_path(void **context)
{
    (void)context;
    snprintf(path, sizeof path, "/tmp/test_text_spool.XXXXXX");
    return close(mkstemp(path));
}

static int remove_path(void **context)
{
    (void)context;
    return unlink(path);
}

/* Texts of one letter each, which is its number. */
static const size_t sizes[] = {1, 0, LONG_BYTES, SPOOL_TEXT_BYTES_MAX, 3};
#define COUNT (sizeof sizes / sizeof *sizes)

static void write_texts(void)
{
    struct spool_writer *writer;
    struct error err;
    char *bytes = malloc(LONG_BYTES);

    CHECK(bytes);
    CHECK_OK(text_spool_open(path, &writer, &err));
    for (size_t i = 0; i < COUNT; i++) {
        memset(bytes, (int)i, LONG_BYTES);
        CHECK_OK(text_spool_put(writer, (struct slice){bytes, sizes[i]}, &err));
    }
    CHECK_OK(spool_writer_close(writer, &err));
    free(bytes);
}

static enum status take(void *context, struct slice text, struct error *err)
{
    size_t *count = context;
    (void)err;

    CHECK(*count < COUNT);
    assert_int_equal(text.size, sizes[*count]);
    for (size_t i = 0; i < text.size; i++)
        CHECK(text.data[i] == (char)*count);
    ++*count;
    return STATUS_OK;
}

static void texts_come_back_whole_and_in_their_order(void **context)
{
    struct error err;
    size_t count = 0;
    (void)context;

    write_texts();
    CHECK_OK(text_spool_each(path, take, &count, &err));
    assert_int_equal(count, COUNT);
}

static enum status refuse(void *context, struct slice text, struct error *err)
{
    (void)context;
    (void)text;
    return fail(err, STATUS_INTERRUPTED, "enough");
}

static void who_takes_them_can_end_it(void **context)
{
    struct error err;
    (void)context;

    write_texts();
    CHECK_FAILS(text_spool_each(path, refuse, NULL, &err), STATUS_INTERRUPTED, "enough");
}

static void a_bit_that_changed_is_found(void **context)
{
    struct error err;
    size_t count = 0;
    char byte;
    int file;
    (void)context;

    write_texts();
    file = open(path, O_RDWR | O_CLOEXEC);
    CHECK(file >= 0 && pread(file, &byte, 1, (off_t)SPOOL_TEXT_BYTES_MAX) == 1);
    byte ^= 1;
    CHECK(pwrite(file, &byte, 1, (off_t)SPOOL_TEXT_BYTES_MAX) == 1);
    close(file);
    CHECK_FAILS(text_spool_each(path, take, &count, &err), STATUS_CORRUPT, "");
    assert_int_equal(count, 0);
}

static void write_numbers(const struct spool_column *columns, size_t count, const int64_t *numbers)
{
    struct spool_writer *writer;
    struct error err;

    CHECK_OK(spool_writer_open(path, columns, count, 0, &writer, &err));
    for (size_t i = 0; i < count; i++)
        CHECK_OK(columns[i].type == SPOOL_TEXT ? spool_put_text(writer, SLICE("x"), &err)
                                               : spool_put_integer(writer, numbers[i], &err));
    CHECK_OK(spool_end_row(writer, &err));
    CHECK_OK(spool_writer_close(writer, &err));
}

static void other_spools_are_none_of_texts(void **context)
{
    static const struct spool_column one[] = {
        {{"n", 1}, SPOOL_INTEGER, READING_NUMBER, 0, {LIST_NONE}}};
    static const struct spool_column two[] = {
        {{"n", 1}, SPOOL_INTEGER, READING_NUMBER, 0, {LIST_NONE}},
        {{"t", 1}, SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}}};
    struct error err;
    size_t count = 0;
    (void)context;

    write_numbers(one, 1, (int64_t[]){0});
    CHECK_FAILS(text_spool_each(path, take, &count, &err), STATUS_CORRUPT, "other columns");
    write_numbers(two, 2, (int64_t[]){1, 0});
    CHECK_FAILS(text_spool_each(path, take, &count, &err), STATUS_CORRUPT, "has no end");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_come_back_whole_and_in_their_order, make_path,
                                        remove_path),
        cmocka_unit_test_setup_teardown(who_takes_them_can_end_it, make_path, remove_path),
        cmocka_unit_test_setup_teardown(a_bit_that_changed_is_found, make_path, remove_path),
        cmocka_unit_test_setup_teardown(other_spools_are_none_of_texts, make_path, remove_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
