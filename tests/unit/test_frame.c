#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "extension/sqlite/frames/frame_copy.h"

#define ROWS 3

static const double reals[ROWS] = {1.5, NAN, -2};
static const float singles[2 * ROWS] = {1, 0, 2, 0, 3, 0}; /* every second one */
static const int64_t wholes[ROWS] = {INT64_MIN, 0, INT64_MAX};
static const uint64_t unsigned_wholes[ROWS] = {0, INT64_MAX, (uint64_t)INT64_MAX + 1};
static const uint8_t truths[ROWS] = {1, 0, 7};
static const uint8_t present[ROWS] = {1, 0, 1};
static const int32_t codes[ROWS] = {1, -1, 2};
static const int64_t offsets[] = {0, 0, 2, 5};

static struct frame_column column(const char *name, enum frame_kind kind, const void *values,
                                  int64_t stride)
{
    return (struct frame_column){.name = name, .kind = kind, .values = values, .stride = stride};
}

static struct frame_column words(void)
{
    struct frame_column made = column("words", FRAME_WORDS, codes, sizeof *codes);

    made.bytes = "abcde";
    made.offsets = offsets;
    made.texts = 3;
    return made;
}

static struct cell cell_of(const struct frame_column *of, int64_t row)
{
    struct cell cell;

    frame_cell(of, row, &cell);
    return cell;
}

static void test_cells_are_what_the_arrays_have(void **state)
{
    struct frame_column of = column("r", FRAME_FLOAT64, reals, sizeof *reals);

    (void)state;
    CHECK(cell_of(&of, 0).type == CELL_REAL && cell_of(&of, 0).real == 1.5);
    CHECK(cell_of(&of, 1).type == CELL_NULL);
    of = column("s", FRAME_FLOAT32, singles, 2 * sizeof *singles);
    CHECK(cell_of(&of, 2).real == 3);
    of = column("w", FRAME_INT64, wholes, sizeof *wholes);
    of.valid = present;
    CHECK(cell_of(&of, 0).type == CELL_INTEGER && cell_of(&of, 0).integer == INT64_MIN);
    CHECK(cell_of(&of, 1).type == CELL_NULL);
    of = column("u", FRAME_UINT64, unsigned_wholes, sizeof *unsigned_wholes);
    CHECK(cell_of(&of, 1).type == CELL_INTEGER && cell_of(&of, 1).integer == INT64_MAX);
    CHECK(cell_of(&of, 2).type == CELL_REAL && cell_of(&of, 2).real == 0x1p63);
    of = column("b", FRAME_BOOL, truths, 1);
    CHECK(cell_of(&of, 2).integer == 1 && cell_of(&of, 1).integer == 0);
    of = words();
    CHECK_SLICE(cell_of(&of, 0).text, "ab");
    CHECK(cell_of(&of, 1).type == CELL_NULL);
    CHECK_SLICE(cell_of(&of, 2).text, "cde");
}

static void test_a_frame_is_found_by_its_key_until_it_is_removed(void **state)
{
    const struct frame_column of = column("r", FRAME_FLOAT64, reals, sizeof *reals);
    struct frame_column wrong = of;
    const int64_t key = totrain_frame_add(&of, 1, ROWS);
    struct frame *used = frame_use(key);

    (void)state;
    CHECK(key > 0 && used && used->rows == ROWS);
    CHECK(!frame_use(key ^ 2));
    CHECK(totrain_frame_remove(key));
    CHECK(used->is_removed && !frame_use(key) && !totrain_frame_remove(key));
    frame_let_go(used);
    wrong.kind = FRAME_WORDS + 1;
    CHECK(totrain_frame_add(&wrong, 1, ROWS) == 0);
    CHECK(totrain_frame_add(&of, 0, ROWS) == 0);
    CHECK(totrain_frame_add(&of, 1, -1) == 0);
}

/* COPY's rows: the number of fields, and then each one's length and bytes. */
static void test_rows_are_copied_whole(void **state)
{
    const struct frame_column columns[] = {column("r", FRAME_FLOAT64, reals, sizeof *reals),
                                           column("b", FRAME_BOOL, truths, 1), words()};
    const int64_t key = totrain_frame_add(columns, 3, ROWS);
    const int64_t sizes[ROWS] = {2 + 12 + 5 + 6, 2 + 4 + 5 + 4, 2 + 12 + 5 + 7};
    static const uint8_t first[] = {0, 3, 0, 0, 0, 8, 0x3f, 0xf8, 0, 0, 0,   0,  0,
                                    0, 0, 0, 0, 1, 1, 0,    0,    0, 2, 'a', 'b'};
    int64_t row = 0;

    (void)state;
    for (int64_t next = 0; next < ROWS;
         next++) { /* a buffer of the row's size, and one byte less */
        uint8_t *room = malloc((size_t)sizes[next]);

        CHECK(totrain_frame_copy(key, &row, room, sizes[next] - 1) == 0 && row == next);
        CHECK(totrain_frame_copy(key, &row, room, sizes[next]) == sizes[next] && row == next + 1);
        if (next == 0)
            assert_memory_equal(room, first, sizeof first);
        free(room);
    }
    CHECK(totrain_frame_copy(key, &row, NULL, 0) == 0);
    CHECK(totrain_frame_remove(key));
    CHECK(totrain_frame_copy(key, &row, NULL, 0) == -1);
}

static void test_a_number_that_bigint_has_not_is_refused(void **state)
{
    const struct frame_column of =
        column("u", FRAME_UINT64, unsigned_wholes, sizeof *unsigned_wholes);
    const int64_t key = totrain_frame_add(&of, 1, ROWS);
    uint8_t room[100];
    int64_t row = 0;

    (void)state;
    CHECK(totrain_frame_copy(key, &row, room, sizeof room) == -1 && row == 2);
    CHECK(totrain_frame_remove(key));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_are_what_the_arrays_have),
        cmocka_unit_test(test_a_frame_is_found_by_its_key_until_it_is_removed),
        cmocka_unit_test(test_rows_are_copied_whole),
        cmocka_unit_test(test_a_number_that_bigint_has_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
