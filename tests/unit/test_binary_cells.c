#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extension/postgres/libpq/binary_cells.h"
#include "extension/postgres/sql/kinds.h"
#include "tests/check.h"

#define BYTES(literal) ((struct slice){literal, sizeof(literal) - 1})

static struct cell read(enum pg_kind kind, struct slice bytes, struct text *scratch)
{
    struct cell cell = {.type = CELL_NULL};
    struct error err;

    CHECK_OK(binary_cell(kind, bytes, scratch, &cell, &err));
    return cell;
}

static double number(enum pg_kind kind, struct slice bytes)
{
    struct text scratch;
    struct cell cell;

    text_init(&scratch, TEXT_MAXIMUM);
    cell = read(kind, bytes, &scratch);
    text_deinit(&scratch);
    CHECK(cell.type == CELL_REAL || cell.type == CELL_INTEGER);
    return cell.type == CELL_REAL ? cell.real : (double)cell.integer;
}

static void integers_of_all_widths(void **state)
{
    (void)state;
    CHECK(number(PG_INTEGER, BYTES("\xff\xfe")) == -2);
    CHECK(number(PG_INTEGER, BYTES("\x00\x01\x00\x02")) == 65538);
    CHECK(number(PG_INTEGER, BYTES("\xff\xff\xff\xff\xff\xff\xff\xff")) == -1);
    CHECK(number(PG_BOOLEAN, BYTES("\x01")) == 1);
    CHECK(number(PG_INTEGER, BYTES("\xff\xff\xff\xff")) == -1);
    CHECK(number(PG_OID, BYTES("\xff\xff\xff\xff")) == 4294967295);
}

/* The bytes of array_send(): dimensions, flags, the elements' type, size and lower bound. */
#define ARRAY(type, size) "\0\0\0\1\0\0\0\0\0\0" type "\0\0\0" size "\0\0\0\0"

static void arrays_are_vectors_of_doubles(void **state)
{
    struct text scratch;
    struct cell cell;
    double reals[2];

    (void)state;
    text_init(&scratch, TEXT_MAXIMUM);
    cell = read(PG_VECTOR, BYTES(ARRAY("\0\x17", "\2") "\0\0\0\4\0\0\0\7\0\0\0\4\xff\xff\xff\xff"),
                &scratch);
    CHECK_INT(cell.type, CELL_VECTOR);
    CHECK_INT(cell_elements(&cell), 2);
    memcpy(reals, cell.text.data, sizeof reals);
    CHECK(reals[0] == 7 && reals[1] == -1);
    cell = read(PG_VECTOR, BYTES(ARRAY("\6\xa4", "\1") "\0\0\0\x0a\0\1\0\0\0\0\0\0\0\2"), &scratch);
    CHECK_INT(cell_elements(&cell), 1);
    cell = read(PG_VECTOR, BYTES("\0\0\0\0\0\0\0\0\0\0\6\xa4"), &scratch);
    CHECK_INT(cell_elements(&cell), 0);
    text_deinit(&scratch);
}

static void arrays_that_are_no_vectors(void **state)
{
    static const char two[] = "\0\0\0\2\0\0\0\0\0\0\0\x17\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0"
                              "\0\0\0\4\0\0\0\7";
    struct text scratch;
    struct error err;
    struct cell cell;

    (void)state;
    text_init(&scratch, TEXT_MAXIMUM);
    CHECK_INT(read(PG_VECTOR, BYTES(two), &scratch).integer, VECTOR_HAS_DIMENSIONS);
    cell =
        read(PG_VECTOR, BYTES(ARRAY("\0\x17", "\2") "\0\0\0\4\0\0\0\7\xff\xff\xff\xff"), &scratch);
    CHECK_INT(cell.integer, VECTOR_HAS_NULLS);
    CHECK_INT(cell_elements(&cell), 0);
    CHECK_INT(scratch.size, 0); /* the numbers read before are gone */
    /* cut, of a type that is no number, of other elements than it says */
    CHECK_INT(
        binary_cell(PG_VECTOR, BYTES(ARRAY("\0\x17", "\1") "\0\0\0\4\0\0"), &scratch, &cell, &err),
        STATUS_PROTOCOL);
    CHECK_INT(
        binary_cell(PG_VECTOR, BYTES(ARRAY("\0\x19", "\1") "\0\0\0\1a"), &scratch, &cell, &err),
        STATUS_PROTOCOL);
    CHECK_INT(binary_cell(PG_VECTOR, BYTES(ARRAY("\0\x17", "\3") "\0\0\0\4\0\0\0\7"), &scratch,
                          &cell, &err),
              STATUS_PROTOCOL);
    text_deinit(&scratch);
}

static void reals_of_both_widths(void **state)
{
    (void)state;
    CHECK(number(PG_REAL, BYTES("\x3f\xb9\x99\x99\x99\x99\x99\x9a")) == .1);
    CHECK(number(PG_REAL, BYTES("\x3d\xcc\xcc\xcd")) == (double).1F);
    CHECK(isnan(number(PG_REAL, BYTES("\x7f\xf8\x00\x00\x00\x00\x00\x00"))));
}

/* Number of digits, weight, sign, scale, digits: as numeric_send() writes them. */
static void numerics_are_the_nearest_doubles(void **state)
{
    (void)state;
    CHECK(number(PG_NUMERIC, BYTES("\0\0\0\0\0\0\0\0")) == 0);
    CHECK(number(PG_NUMERIC, BYTES("\0\2\0\0\0\0\0\2\0\1\x13\x88")) == 1.5);
    CHECK(number(PG_NUMERIC, BYTES("\0\1\xff\xff\x40\0\0\1\x03\xe8")) == -.1);
    CHECK(number(PG_NUMERIC, BYTES("\0\3\0\2\0\0\0\0\0\x5a\x1c\x78\x03\xe1")) == 9072880993.);
    CHECK(number(PG_NUMERIC, BYTES("\0\1\0\1\0\0\0\0\0\1")) == 10000);
    CHECK(number(PG_NUMERIC, BYTES("\0\1\xff\xb0\0\0\1\x40\0\1")) == 1e-320); /* denormal */
    CHECK(isinf(number(PG_NUMERIC, BYTES("\0\1\0\x64\0\0\0\0\0\1"))));
    CHECK(isnan(number(PG_NUMERIC, BYTES("\0\0\0\0\xc0\0\0\0"))));
    CHECK(number(PG_NUMERIC, BYTES("\0\0\0\0\xf0\0\0\0")) == -INFINITY);
}

static void times_count_from_1970(void **state)
{
    (void)state;
    CHECK(number(PG_DATE, BYTES("\0\0\0\0")) == 10957);
    CHECK(number(PG_DATE, BYTES("\xff\xff\xd5\x32")) == -1);
    CHECK(number(PG_DATE, BYTES("\x7f\xff\xff\xff")) == INFINITY);
    CHECK(number(PG_TIMESTAMP, BYTES("\0\0\0\0\0\x07\xa1\x20")) == 946684800.5);
    CHECK(number(PG_TIMESTAMP, BYTES("\x80\0\0\0\0\0\0\0")) == -INFINITY);
    /* 294276-12-31 23:59:59.999999 */
    CHECK(number(PG_TIMESTAMP, BYTES("\x7f\xff\xff\x5b\xb3\xb2\x9f\xff")) == 9224318016000.0);
}

static enum cell_time time_of(enum pg_kind kind, struct slice bytes)
{
    struct cell cell = {.time = CELL_SECONDS};
    struct text scratch;
    struct error err;

    text_init(&scratch, TEXT_MAXIMUM);
    CHECK_OK(binary_cell(kind, bytes, &scratch, &cell, &err));
    text_deinit(&scratch);
    return cell.time;
}

static void dates_are_told_from_numbers(void **state)
{
    (void)state;
    CHECK_INT(time_of(PG_DATE, BYTES("\0\0\0\0")), CELL_DAYS);
    CHECK_INT(time_of(PG_DATE, BYTES("\x7f\xff\xff\xff")), CELL_DAYS);
    CHECK_INT(time_of(PG_TIMESTAMP, BYTES("\0\0\0\0\0\x07\xa1\x20")), CELL_SECONDS);
    CHECK_INT(time_of(PG_INTEGER, BYTES("\0\0\0\0")), CELL_PLAIN);
    CHECK_INT(time_of(PG_REAL, BYTES("\0\0\0\0")), CELL_PLAIN);
}

static void a_uuid_is_its_text(void **state)
{
    struct text scratch;
    (void)state;

    text_init(&scratch, TEXT_MAXIMUM);
    CHECK_SLICE(read(PG_UUID,
                     BYTES("\x01\x23\x45\x67\x89\xab\xcd\xef\xfe\xdc\xba\x98\x76\x54\x32\x10"),
                     &scratch)
                    .text,
                "01234567-89ab-cdef-fedc-ba9876543210");
    text_deinit(&scratch);
}

static void values_of_other_sizes_are_refused(void **state)
{
    static const enum pg_kind kinds[] = {PG_INTEGER, PG_OID,  PG_REAL, PG_NUMERIC,
                                         PG_BOOLEAN, PG_UUID, PG_DATE, PG_TIMESTAMP};
    struct text scratch;
    struct cell cell;
    struct error err;
    (void)state;

    text_init(&scratch, TEXT_MAXIMUM);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        CHECK_INT(binary_cell(kinds[i], BYTES("\0\0\0"), &scratch, &cell, &err), STATUS_PROTOCOL);
    CHECK_INT(binary_cell(PG_NUMERIC, BYTES("\xff\xff\0\0\0\0\0\0"), &scratch, &cell, &err),
              STATUS_PROTOCOL);
    text_deinit(&scratch);
}

/* ----- COPY ----- */

#define HEADER "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"
#define ONE_ID "\0\0\0\x10\x01\x23\x45\x67\x89\xab\xcd\xef\xfe\xdc\xba\x98\x76\x54\x32\x10"

static void copied_rows_and_their_end(void **state)
{
    static const struct database_column columns[] = {
        {.kind = PG_INTEGER}, {.kind = PG_UUID}, {.kind = PG_UUID}, {.kind = PG_TEXT}};
    struct slice message = BYTES(HEADER "\0\4\0\0\0\2\0\7" ONE_ID ONE_ID "\0\0\0\2hi"
                                        "\0\4\xff\xff\xff\xff\xff\xff\xff\xff" ONE_ID "\0\0\0\0");
    struct slice trailer = BYTES("\xff\xff");
    struct binary_copy copy;
    struct error err;
    bool has_row;
    (void)state;

    CHECK_OK(binary_copy_init(&copy, columns, 4, &err));
    CHECK_OK(binary_copy_next(&copy, &message, &has_row, &err));
    CHECK(has_row && copy.cells[0].integer == 7);
    CHECK_SLICE(copy.cells[1].text, "01234567-89ab-cdef-fedc-ba9876543210");
    CHECK_SLICE(copy.cells[2].text, "01234567-89ab-cdef-fedc-ba9876543210");
    CHECK_SLICE(copy.cells[3].text, "hi");
    CHECK_OK(binary_copy_next(&copy, &message, &has_row, &err));
    CHECK(has_row && copy.cells[0].type == CELL_NULL && copy.cells[1].type == CELL_NULL);
    CHECK_SLICE(copy.cells[3].text, "");
    CHECK_OK(binary_copy_next(&copy, &message, &has_row, &err));
    CHECK(!has_row && !copy.has_ended);
    CHECK_OK(binary_copy_next(&copy, &trailer, &has_row, &err));
    CHECK(!has_row && copy.has_ended);
    binary_copy_deinit(&copy);
}

/* A message that is cut anywhere is refused, and nothing behind it is read. */
static void cut_rows_are_refused(void **state)
{
    static const struct database_column columns[] = {{.kind = PG_INTEGER}, {.kind = PG_TEXT}};
    static const char whole[] = HEADER "\0\2\0\0\0\4\0\0\0\1\0\0\0\3abc";
    struct error err;
    bool has_row;
    (void)state;

    for (size_t size = 0; size < sizeof whole - 1; size++) {
        struct binary_copy copy;
        char *exact = malloc(size + 1); /* a byte too many would be seen */
        struct slice message = {memcpy(exact + 1, whole, size), size};
        bool is_header = size == sizeof HEADER - 1;

        CHECK_OK(binary_copy_init(&copy, columns, 2, &err));
        CHECK_INT(binary_copy_next(&copy, &message, &has_row, &err),
                  is_header ? STATUS_OK : STATUS_PROTOCOL);
        CHECK(!has_row);
        binary_copy_deinit(&copy);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_of_all_widths),
        cmocka_unit_test(arrays_are_vectors_of_doubles),
        cmocka_unit_test(arrays_that_are_no_vectors),
        cmocka_unit_test(reals_of_both_widths),
        cmocka_unit_test(numerics_are_the_nearest_doubles),
        cmocka_unit_test(times_count_from_1970),
        cmocka_unit_test(dates_are_told_from_numbers),
        cmocka_unit_test(a_uuid_is_its_text),
        cmocka_unit_test(values_of_other_sizes_are_refused),
        cmocka_unit_test(copied_rows_and_their_end),
        cmocka_unit_test(cut_rows_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
