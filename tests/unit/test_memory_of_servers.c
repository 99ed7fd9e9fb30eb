/* Rows of a parameter server, with every allocation failing in turn. */
#include <inttypes.h>

#include "runtime/ps/rows/row_snapshot.h"
#include "tests/check.h"
#include "tests/unit/failing_memory.h"

#define WIDTH 5
#define ROWS  400 /* several blocks of a push */
#define STEPS 3
#define SOME  64 /* buckets that are written into a snapshot */

struct push {
    uint64_t ids[ROWS];
    uint32_t seen[ROWS];
    float gradient[ROWS * WIDTH];
};

static enum status table_init(struct row_table *table, struct row_memory *memory, struct error *err)
{
    const struct row_table_options options = {.seed = 7,
                                              .width = WIDTH,
                                              .start = 0.1,
                                              .settings = {.optimizer = OPTIMIZER_ADAM,
                                                           .learning_rate = 0.1,
                                                           .beta1 = 0.9,
                                                           .beta2 = 0.999,
                                                           .epsilon = 1e-7},
                                              .steps = STEPS,
                                              .min_count = 2};

    *memory = (struct row_memory){.limit = UINT64_MAX};
    return row_table_init(table, &options, memory, err);
}

/* Rows of one bucket alone, so that its index and its chunks grow, or of all. */
static void make_push(struct push *push, uint32_t step, bool is_of_one_bucket)
{
    uint64_t id = 0;

    for (uint32_t i = 0; i < ROWS; i++, id++) {
        while (is_of_one_bucket && row_bucket_of(0, row_hash(id)) != 0)
            id++;
        push->ids[i] = id;
        push->seen[i] = 1 + (id + step) % 3;
        for (uint32_t j = 0; j < WIDTH; j++)
            push->gradient[i * WIDTH + j] = (float)j - (float)step;
    }
}

/* A failed push changes nothing, and the memory that was taken for it is told. */
static enum status push_step(struct row_table *table, uint32_t step, bool is_of_one_bucket,
                             struct error *err)
{
    const uint64_t before = row_table_digest(table, step);
    struct push rows;
    struct row_push push = {.ids = {rows.ids, ROWS},
                            .seen = rows.seen,
                            .gradient = rows.gradient,
                            .step = step,
                            .rate_step = step - 1,
                            .rate_factor = 1};
    enum status status;

    make_push(&rows, step, is_of_one_bucket);
    status = row_table_reserve(table, &push, err);
    if (status != STATUS_OK) {
        CHECK(row_table_digest(table, step) == before);
        return status;
    }
    row_table_push(table, &push);
    return STATUS_OK;
}

/* Some buckets before rows move on, and the others as they were then. */
static enum status copy_rows(struct row_table *table, struct row_table *other, struct error *err)
{
    struct text image;
    enum status status = row_snapshot_begin(table, STEPS, err);

    text_init(&image, TEXT_MAXIMUM);
    for (uint32_t b = 0; status == STATUS_OK && b < BUCKETS_PER_TABLE; b++) {
        text_clear(&image);
        if (b == SOME)
            status = push_step(table, STEPS + 1, false, err);
        if (status == STATUS_OK)
            status = row_snapshot_image(table, b, &image, err);
        if (status == STATUS_OK)
            status = row_image_load(other, text_slice(&image), err);
    }
    text_deinit(&image);
    row_snapshot_end(table);
    return status;
}

static enum status run_tables(bool is_of_one_bucket, struct row_table *table,
                              struct row_table *other, struct text *result, struct error *err)
{
    for (uint32_t step = 1; step <= STEPS; step++)
        TRY(push_step(table, step, is_of_one_bucket, err));
    TRY(copy_rows(table, other, err));
    text_printf(result, "%" PRIu64 " rows, %" PRIx64 ", %" PRIx64, other->counts.rows,
                row_table_digest(table, STEPS + 1), row_table_digest(other, STEPS));
    return STATUS_OK;
}

/* All memory that was counted is given back, however it ends. */
static enum status make_rows(void *context, struct text *result, struct error *err)
{
    const bool is_of_one_bucket = *(const bool *)context;
    struct row_memory memory, memory_of_other;
    struct row_table table, other;
    enum status status = table_init(&table, &memory, err);

    if (status != STATUS_OK)
        return status;
    status = table_init(&other, &memory_of_other, err);
    if (status == STATUS_OK) {
        status = run_tables(is_of_one_bucket, &table, &other, result, err);
        row_table_deinit(&other);
        CHECK_INT(memory_of_other.used, 0);
    }
    row_table_deinit(&table);
    CHECK_INT(memory.used, 0);
    return status;
}

static void rows_are_made_and_copied_or_memory_is_short(void **state)
{
    bool is_of_one_bucket = false;
    (void)state;

    check_every_allocation_may_fail("rows of all buckets", make_rows, &is_of_one_bucket);
    is_of_one_bucket = true;
    check_every_allocation_may_fail("rows of one bucket", make_rows, &is_of_one_bucket);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_made_and_copied_or_memory_is_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
