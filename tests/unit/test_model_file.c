/*
 * A model as a file: what was written is read, and no file that was changed is a model.
 */
#include "tests/check.h"

#include <stdio.h>
#include <unistd.h>

#include "runtime/data/dataset/model_file.h"
#include "tests/unit/scoring_fixture.h"

static char path[32];

static void make(struct fixture *fixture)
{
    const uint32_t widths[] = {300, 3};
    struct error err;
    int file;

    snprintf(path, sizeof path, "/tmp/totrain-test.XXXXXX");
    file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
    fixture_init(fixture, 3);
    fixture_layers(fixture, widths, 2);
    CHECK_OK(model_file_write(path, &fixture->model, &err));
    fixture_write(fixture);
}

struct reading {
    const struct fixture *expected;
    size_t count;
};

static enum status compare(void *context, const struct model_row *row, struct error *err)
{
    struct reading *reading = context;
    const struct model_row *expected = &reading->expected->rows[reading->count++];
    (void)err;

    CHECK(reading->count <= reading->expected->row_count);
    CHECK(slice_equal(row->part, expected->part) && slice_equal(row->name, expected->name));
    CHECK(row->position == expected->position && row->has_value == expected->has_value);
    CHECK(!row->has_value || row->value == expected->value);
    CHECK(row->has_data == expected->has_data && row->data_is_text == expected->data_is_text);
    CHECK(!row->has_data || slice_equal(row->data, expected->data));
    return STATUS_OK;
}

static void rows_come_back_as_they_were_written(void **state)
{
    struct fixture fixture;
    struct reading reading = {&fixture, 0};
    struct error err;
    (void)state;

    make(&fixture);
    CHECK_OK(model_file_read(path, compare, &reading, &err));
    CHECK_INT(reading.count, fixture.row_count);
    CHECK(reading.count > 3);
    CHECK_INT(unlink(path), 0);
    CHECK_FAILS(model_file_read(path, compare, &reading, &err), STATUS_IO, path);
    CHECK_FAILS(model_file_write("/nowhere/model.rows", &fixture.model, &err), STATUS_IO,
                "/nowhere/model.rows");
    fixture_deinit(&fixture);
}

static enum status read_model(struct error *err)
{
    struct model_reader *reader;
    struct model model;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK(model_reader_new(kinds, &arena, &reader, err) == STATUS_OK);
    status = model_file_read(path, model_reader_take, reader, err);
    if (status == STATUS_OK)
        status = model_reader_finish(reader, &model, err);
    model_reader_free(reader);
    arena_deinit(&arena);
    return status;
}

static void cut_at(long size)
{
    CHECK_INT(truncate(path, size), 0);
}

/* Behind four bytes each of the row's size, and of size and text of its part. No reader uses it. */
static bool is_name_of_meta(long at)
{
    return at >= 16 && at < 20;
}

static void a_file_that_was_cut_or_changed_is_refused(void **state)
{
    struct fixture fixture;
    struct error err;
    FILE *file;
    long size;
    (void)state;

    make(&fixture);
    CHECK_OK(read_model(&err));
    file = fopen(path, "r+b");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    size = ftell(file);
    for (long at = 0; at < size; at += at < 64 ? 1 : 4099) { /* sizes and texts, and all rows */
        int byte;

        CHECK_INT(fseek(file, at, SEEK_SET), 0);
        byte = fgetc(file);
        CHECK_INT(fseek(file, at, SEEK_SET), 0);
        CHECK(fputc(byte ^ 64, file) != EOF && fflush(file) == 0);
        CHECK(read_model(&err) != STATUS_OK || is_name_of_meta(at));
        CHECK_INT(fseek(file, at, SEEK_SET), 0);
        CHECK(fputc(byte, file) != EOF && fflush(file) == 0);
    }
    fclose(file);
    CHECK_OK(read_model(&err));
    for (long cut = size - 1; cut >= 0; cut -= cut > 64 ? 997 : 1) {
        cut_at(cut);
        CHECK(read_model(&err) != STATUS_OK);
    }
    CHECK_INT(unlink(path), 0);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back_as_they_were_written),
        cmocka_unit_test(a_file_that_was_cut_or_changed_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
