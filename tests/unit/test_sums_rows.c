/* Sums of a phase with a table: its rows are exchanged, and no others. */
#include "tests/check.h"

#include <string.h>

#include "runtime/train/sums_pieces.h"

#define MEMBERS 3
#define WORDS   50
#define WIDTH   2
#define REALS   4
#define AT      REALS /* where the table begins */

static const struct phase with_table = {
    .number = 5,
    .integer_count = 1,
    .real_count = REALS,
    .table = {.rows = WORDS, .width = WIDTH, .touched_most = 12},
};

/* Rows that member `rank` touches: one that all do, one of its own, one beside another's. */
static void contribute(struct sums *sums, uint32_t rank)
{
    const uint32_t rows[] = {48, 7, 20 + rank, 3 * rank};
    struct touched_rows *touched = sums_touched(sums);
    uint64_t added = 0;

    for (uint32_t i = 0; i < REALS; i++)
        added += (uint64_t)(sums->elements[i] = 10 + (int64_t)i);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t at = AT + touched_rows_add(touched, rows[i]) * WIDTH;

        for (uint32_t u = 0; u < WIDTH; u++) {
            const int64_t term = 100 * (int64_t)rows[i] + 10 * rank + u;

            sums->elements[at + u] += term;
            added += (uint64_t)term;
        }
    }
    sums->integers[0] = 1;
    sums_after_lanes(sums, added);
}

static void open_member(struct sums *sums, uint32_t rank, size_t piece_bytes)
{
    struct error err;

    sums->segment_least = 1;
    sums->piece_bytes = piece_bytes;
    CHECK_OK(sums_begin(sums, &with_table, rank, MEMBERS, &err));
    contribute(sums, rank);
    CHECK_OK(sums_end_lanes(sums, &err));
}

static struct fixed_resolved as_floats(const void *context, const int64_t *fixed, uint32_t first,
                                       uint32_t count, float *reals)
{
    (void)context;
    (void)first;
    return fixed_resolve(fixed, count, 0, reals);
}

/* Exchanges the messages of all members; returns how many there are. */
static uint32_t exchange(struct sums sums[MEMBERS])
{
    uint32_t messages = 0;
    struct error err;

    for (uint32_t from = 0; from < MEMBERS; from++)
        for (uint32_t to = 0; to < MEMBERS; to++) {
            struct sums_pieces pieces = sums_partial_pieces(&sums[from], to);

            while (from != to && !pieces.is_at_end) {
                struct message_partial partial = {.phase = 5};

                sums_next_partial(&sums[from], &pieces, &partial);
                CHECK_OK(sums_add_partial(&sums[to], from, &partial, &err));
                messages++;
            }
        }
    for (uint32_t rank = 0; rank < MEMBERS; rank++) {
        CHECK_INT(sums[rank].partials_missing, 0);
        CHECK_OK(sums_resolve(&sums[rank], as_floats, NULL, &err));
    }
    for (uint32_t from = 0; from < MEMBERS; from++) {
        struct sums_pieces pieces = sums_total_pieces(&sums[from]);

        while (!pieces.is_at_end) {
            struct message_sum sum = {.phase = 5};

            sums_next_total(&sums[from], &pieces, &sum);
            for (uint32_t to = 0; to < MEMBERS; to++)
                if (to != from)
                    CHECK_OK(sums_take_sum(&sums[to], from, &sum, &err));
            messages++;
        }
    }
    return messages;
}

static void check_totals(const struct sums *sums)
{
    const uint32_t rows[] = {0, 3, 6, 7, 20, 21, 22, 48};
    const int64_t times[] = {1, 1, 1, 3, 1, 1, 1, 3}, ranks[] = {0, 1, 2, 3, 0, 1, 2, 3};
    const struct phase_totals totals = sums_totals(sums);
    struct error err;

    CHECK_INT(sums->sums_missing, 0);
    CHECK_OK(sums_verify(sums, &err));
    CHECK_INT(totals.integers[0], MEMBERS);
    for (uint32_t i = 0; i < REALS; i++)
        CHECK(totals.reals[i] == (float)(MEMBERS * (10 + i)));
    CHECK_INT(totals.rows->count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t at = AT + touched_rows_place(totals.rows, rows[i]) * WIDTH;

        CHECK(touched_rows_has(totals.rows, rows[i]));
        for (int64_t u = 0; u < WIDTH; u++)
            CHECK(totals.reals[at + u] ==
                  (float)(times[i] * (100 * (int64_t)rows[i] + u) + 10 * ranks[i]));
    }
}

static void touched_rows_reach_everybody_in_pieces_of_any_size(void **state)
{
    const size_t sizes[] = {1, 8, 30, 64, 100000};
    const uint32_t messages[] = {0, 0, 0, 0, MEMBERS * MEMBERS};
    (void)state;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sums sums[MEMBERS] = {{.phase = 0}, {.phase = 0}, {.phase = 0}};
        uint32_t sent;

        for (int times = 0; times < 3; times++) { /* a phase leaves nothing for the next one */
            for (uint32_t rank = 0; rank < MEMBERS; rank++)
                open_member(&sums[rank], rank, sizes[i]);
            sent = exchange(sums);
            for (uint32_t rank = 0; rank < MEMBERS; rank++)
                check_totals(&sums[rank]);
            CHECK(messages[i] == 0 || sent == messages[i]);
        }
        for (uint32_t rank = 0; rank < MEMBERS; rank++)
            sums_deinit(&sums[rank]);
    }
}

static void phases_without_a_table_may_come_between(void **state)
{
    const struct phase evaluation = {.number = 6, .integer_count = 2, .real_count = 90};
    struct sums sums = {.segment_least = 1, .piece_bytes = 100};
    struct error err;
    (void)state;

    for (int times = 0; times < 3; times++) {
        open_member(&sums, 0, 100);
        CHECK_OK(sums_begin(&sums, &evaluation, 0, 1, &err));
        CHECK(sums_touched(&sums) == NULL && sums_totals(&sums).rows == NULL);
        for (uint32_t i = 0; i < 90; i++)
            CHECK(sums.elements[i] == 0);
        for (uint32_t i = 0; i < 90; i++)
            sums.elements[i] = -1;
        CHECK_OK(sums_begin(&sums, &with_table, 0, 1, &err));
        CHECK_INT(sums.touched.count, 0);
        for (uint32_t i = 0; i < AT + with_table.table.touched_most * WIDTH; i++)
            CHECK(sums.elements[i] == 0);
    }
    sums_deinit(&sums);
}

static void rows_that_nobody_may_send_are_refused(void **state)
{
    const int64_t zeros[64] = {0};
    const struct {
        uint32_t count, rows[4], left;
        size_t values;
        const char *why;
    } bad[] = {
        {2, {3, 3}, 0, 4, "row 3, expected one of 0+16 from 4 on"},
        {2, {5, 4}, 0, 4, "row 4, expected one of 0+16 from 6 on"},
        {1, {16}, 0, 2, "row 16, expected one of 0+16"},
        {1, {4000000000u}, 0, 2, "row 4000000000"},
        {1, {3}, 0, 3, "1 rows of 3 values"},
        {1, {3}, 0, 0, "1 rows of 0 values"},
        {1, {3}, 16, 2, "16 left, expected rows of 2, and 16 in all"},
        {1, {3}, UINT32_MAX, 2, "4294967295 left"},
        {0, {0}, 0, 2, "0 rows of 2 values"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sums sums = {.phase = 0};
        const struct message_partial partial = {
            .integers = {(const char *)zeros, sizeof *zeros},
            .fixed = {(const char *)zeros, sizeof *zeros},
            .rows = {(const char *)bad[i].rows, bad[i].count * sizeof(uint32_t)},
            .row_sums = {(const char *)zeros, bad[i].values * sizeof *zeros},
            .rows_left = bad[i].left,
        };
        struct error err;

        open_member(&sums, 0, 100);
        CHECK_INT(sums.own.count, 1);
        CHECK_FAILS(sums_add_partial(&sums, 1, &partial, &err), STATUS_PROTOCOL, bad[i].why);
        sums_deinit(&sums);
    }
}

/* Each message by itself is in order. */
static void more_rows_than_a_phase_touches_are_refused(void **state)
{
    const int64_t zeros[WIDTH * 9] = {0};
    const uint32_t fresh[] = {1, 2, 4, 5, 6, 8, 9, 10}, known[] = {0, 7};
    struct sums sums = {.phase = 0};
    struct message_partial piece = {
        .integers = {(const char *)zeros, sizeof *zeros},
        .fixed = {(const char *)zeros, sizeof *zeros},
        .rows = {(const char *)fresh, sizeof fresh},
        .row_sums = {(const char *)zeros, sizeof fresh / sizeof *fresh * WIDTH * sizeof *zeros},
    };
    struct error err;
    (void)state;

    open_member(&sums, 0, 100); /* 4 of 12 */
    CHECK_OK(sums_add_partial(&sums, 1, &piece, &err));
    CHECK_INT(sums.touched.count, 12);
    piece.rows = (struct slice){(const char *)known, sizeof known};
    piece.row_sums = (struct slice){(const char *)zeros, 2 * WIDTH * sizeof *zeros};
    CHECK_OK(sums_add_partial(&sums, 2, &piece, &err));
    sums_deinit(&sums);
    open_member(&sums, 0, 100);
    piece.rows = (struct slice){(const char *)fresh, sizeof fresh};
    piece.row_sums =
        (struct slice){(const char *)zeros, sizeof fresh / sizeof *fresh * WIDTH * sizeof *zeros};
    CHECK_OK(sums_add_partial(&sums, 1, &piece, &err));
    piece.rows.data = (const char *)(const uint32_t[]){0, 1, 2, 4, 5, 6, 8, 11};
    CHECK_FAILS(sums_add_partial(&sums, 2, &piece, &err), STATUS_PROTOCOL,
                "13 rows, expected 12 at most");
    CHECK_INT(sums.touched.count, 12);
    sums_deinit(&sums);
}

static struct message_partial rows_piece(uint32_t first, const void *zeros, uint32_t elements,
                                         const uint32_t *rows, uint32_t count, uint32_t left)
{
    return (struct message_partial){
        .first = first,
        .integers = {zeros, first == 0 ? sizeof(int64_t) : 0},
        .fixed = {zeros, elements * sizeof(int64_t)},
        .rows = {(const char *)rows, count * sizeof *rows},
        .row_sums = {zeros, (size_t)count * WIDTH * sizeof(int64_t)},
        .rows_left = left,
    };
}

static void rows_come_behind_all_elements_and_as_many_as_were_announced(void **state)
{
    const int64_t zeros[16] = {0};
    const uint32_t rows[] = {3, 9, 12};
    struct sums sums = {.phase = 0};
    struct message_partial piece;
    struct error err;
    (void)state;

    open_member(&sums, 0, 100);
    CHECK(sums.own.first == 0 && sums.own.count == 1);
    piece = rows_piece(0, zeros, 0, rows, 1, 2); /* the element is missing */
    CHECK_INT(sums_add_partial(&sums, 1, &piece, &err), STATUS_PROTOCOL);
    piece = rows_piece(0, zeros, 1, rows, 1, 2);
    CHECK_OK(sums_add_partial(&sums, 1, &piece, &err));
    CHECK_INT(sums.partials_missing, 2);
    piece = rows_piece(1, zeros, 0, rows + 1, 1, 0); /* one of two */
    CHECK_INT(sums_add_partial(&sums, 1, &piece, &err), STATUS_PROTOCOL);
    piece = rows_piece(1, zeros, 0, rows, 2, 0); /* again */
    CHECK_INT(sums_add_partial(&sums, 1, &piece, &err), STATUS_PROTOCOL);
    piece = rows_piece(1, zeros, 0, rows, 0, 2); /* brings nothing */
    CHECK_INT(sums_add_partial(&sums, 1, &piece, &err), STATUS_PROTOCOL);
    piece = rows_piece(1, zeros, 0, rows + 1, 2, 0);
    CHECK_OK(sums_add_partial(&sums, 1, &piece, &err));
    CHECK_INT(sums.partials_missing, 1);
    CHECK_INT(sums_add_partial(&sums, 1, &piece, &err), STATUS_PROTOCOL);
    sums_deinit(&sums);
}

static void a_bit_that_changes_in_a_touched_row_is_found(void **state)
{
    struct error err;
    (void)state;

    for (uint32_t members = 1; members <= 2; members++) {
        for (uint32_t bit = 0; bit < 64 * WIDTH; bit++) {
            struct sums sums = {.segment_least = UINT32_MAX, .piece_bytes = 100};
            uint32_t at;

            CHECK_OK(sums_begin(&sums, &with_table, 0, members, &err));
            contribute(&sums, 0);
            at = AT + touched_rows_place(&sums.touched, 20) * WIDTH;
            ((uint8_t *)(sums.elements + at))[bit / 8] ^= (uint8_t)(1u << bit % 8);
            CHECK(sums_end_lanes(&sums, &err) == STATUS_CORRUPT ||
                  sums_resolve(&sums, as_floats, NULL, &err) == STATUS_CORRUPT);
            sums_deinit(&sums);
        }
    }
}

static void a_bit_that_changes_in_a_rows_totals_is_found(void **state)
{
    struct sums sums[MEMBERS] = {{.phase = 0}, {.phase = 0}, {.phase = 0}};
    struct error err;
    (void)state;

    for (uint32_t rank = 0; rank < MEMBERS; rank++)
        open_member(&sums[rank], rank, 100);
    exchange(sums);
    CHECK_OK(sums_verify(&sums[1], &err));
    ((uint8_t *)(sums[1].reals + AT + touched_rows_place(&sums[1].totals, 48) * WIDTH))[2] ^= 4;
    CHECK_INT(sums_verify(&sums[1], &err), STATUS_CORRUPT);
    for (uint32_t rank = 0; rank < MEMBERS; rank++)
        sums_deinit(&sums[rank]);
}

static void few_touched_rows_have_few_owners(void **state)
{
    const struct phase phase = {
        .number = 1, .real_count = 4, .table = {.rows = 1000000, .width = 8, .touched_most = 10}};
    struct sums sums = {.segment_least = 1024, .piece_bytes = 100};
    struct error err;
    (void)state;

    CHECK_OK(sums_begin(&sums, &phase, 1, 8, &err));
    CHECK_INT(sums.owners, 1);
    CHECK(!sums_is_owner(&sums, 1));
    CHECK_INT(sums_row_share(&sums, 0).count, 1000000);
    CHECK_INT(sums.partials_missing, 0);
    sums_deinit(&sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touched_rows_reach_everybody_in_pieces_of_any_size),
        cmocka_unit_test(phases_without_a_table_may_come_between),
        cmocka_unit_test(rows_that_nobody_may_send_are_refused),
        cmocka_unit_test(more_rows_than_a_phase_touches_are_refused),
        cmocka_unit_test(rows_come_behind_all_elements_and_as_many_as_were_announced),
        cmocka_unit_test(a_bit_that_changes_in_a_touched_row_is_found),
        cmocka_unit_test(a_bit_that_changes_in_a_rows_totals_is_found),
        cmocka_unit_test(few_touched_rows_have_few_owners),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
