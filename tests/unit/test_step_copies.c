#include "tests/check.h"

#include <stdlib.h>

#include "runtime/ps/worker/step_copies.h"

#define TABLES 3
#define MOST   16

static const uint32_t width_of[TABLES] = {1, 2, 1};
static const struct row_widths widths = {width_of, TABLES};

/* A batch's rows, with the number table * 100 + id in each. */
struct batch {
    struct batch_rows rows;
    uint32_t counts[TABLES];
    uint64_t ids[MOST];
    float values[2 * MOST];
    uint32_t floats;
};

static void add(struct batch *batch, uint32_t table, uint64_t id)
{
    batch->ids[batch->counts[0] + batch->counts[1] + batch->counts[2]] = id;
    batch->counts[table]++;
    for (uint32_t j = 0; j < width_of[table]; j++)
        batch->values[batch->floats++] = (float)(100 * table + id);
}

/* Ids of each table, ended by 0. */
static void fill(struct batch *batch, const uint64_t (*ids)[4])
{
    *batch = (struct batch){.floats = 0};
    for (uint32_t t = 0; t < TABLES; t++)
        for (uint32_t i = 0; ids[t][i]; i++)
            add(batch, t, ids[t][i]);
    batch->rows = (struct batch_rows){.counts = batch->counts, .ids = batch->ids};
}

static void keep(struct step_copies *copies, uint64_t step, const struct batch *batch)
{
    struct error err;

    CHECK_OK(step_copies_keep(copies, step, widths, &batch->rows, batch->values, &err));
}

/* Which rows of the batch there are copies of, as a bit each, all of them as they were pulled. */
static uint32_t taken(const struct step_copies *copies, uint64_t step, const struct batch *batch)
{
    float values[2 * MOST] = {0};
    bool has[MOST];
    uint32_t bits = 0, row = 0, at = 0;

    step_copies_take(copies, step, widths, &batch->rows, values, has);
    for (uint32_t t = 0; t < TABLES; t++)
        for (uint32_t i = 0; i < batch->counts[t]; i++, row++) {
            bits |= (uint32_t)has[row] << row;
            for (uint32_t j = 0; j < width_of[t]; j++, at++)
                CHECK(values[at] == (has[row] ? batch->values[at] : 0));
        }
    return bits;
}

static const uint64_t first_ids[TABLES][4] = {{2, 5, 9}, {0}, {1, 7}};
static const uint64_t second_ids[TABLES][4] = {{2, 7}, {4}, {7, 8}};
static const uint64_t third_ids[TABLES][4] = {{1, 7, 9}, {3, 4}, {1}};

static void rows_of_a_step_are_there_for_its_other_lanes(void **state)
{
    struct step_copies copies = {.step = 0};
    struct batch first, second, third;
    (void)state;

    fill(&first, first_ids);
    fill(&second, second_ids);
    fill(&third, third_ids);
    CHECK_INT(taken(&copies, 0, &first), 0);
    keep(&copies, 6, &first);
    CHECK_INT(taken(&copies, 6, &first), 0x1f);
    CHECK_INT(taken(&copies, 6, &second), 1 << 0 | 1 << 3);
    keep(&copies, 6, &second);
    CHECK_INT(taken(&copies, 6, &first), 0x1f);
    CHECK_INT(taken(&copies, 6, &second), 0x1f);
    CHECK_INT(taken(&copies, 6, &third), 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5);
    CHECK_INT(copies.rows.rows, 8);
    step_copies_free(&copies);
}

static void rows_of_another_step_are_not(void **state)
{
    struct step_copies copies = {.step = 0};
    struct batch first, second;
    (void)state;

    fill(&first, first_ids);
    fill(&second, second_ids);
    keep(&copies, 6, &first);
    CHECK_INT(taken(&copies, 5, &first), 0);
    CHECK_INT(taken(&copies, 7, &first), 0);
    keep(&copies, 7, &second);
    CHECK_INT(taken(&copies, 7, &first), 1 << 0 | 1 << 4);
    CHECK_INT(taken(&copies, 6, &first), 0);
    step_copies_drop(&copies);
    CHECK_INT(taken(&copies, 7, &second), 0);
    step_copies_free(&copies);
}

static void copies_have_a_limit(void **state)
{
    const uint32_t wide = STEP_COPIES_FLOATS_MAX / 2 + 1, counts[] = {1};
    const struct row_widths one = {&wide, 1};
    float *values = calloc(wide, sizeof *values);
    struct step_copies copies = {.step = 0};
    struct error err;
    bool has;
    (void)state;

    CHECK(values != NULL);
    for (uint64_t id = 0; id < 5; id++) {
        const struct batch_rows batch = {.counts = counts, .ids = &id};

        CHECK_OK(step_copies_keep(&copies, 1, one, &batch, values, &err));
        step_copies_take(&copies, 1, one, &batch, values, &has);
        CHECK(has == (id < 2));
    }
    free(values);
    step_copies_free(&copies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_step_are_there_for_its_other_lanes),
        cmocka_unit_test(rows_of_another_step_are_not),
        cmocka_unit_test(copies_have_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
