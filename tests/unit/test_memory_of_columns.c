/* Statistics of columns counted, merged and finished, with every allocation failing in turn. */
#include "runtime/data/columns/column_statistics_finish.h"
#include "runtime/data/spool/column_statistics.h"
#include "runtime/data/spool/column_statistics_bytes.h"
#include "tests/check.h"
#include "tests/unit/failing_memory.h"

#define ROWS       200
#define WORD_BYTES ((size_t)1 << 20)

/* A numeric input, a category of numbers and the label. */
struct rows {
    struct input_spec inputs[2];
    struct jobspec spec;
    int64_t numbers[ROWS][3];
    struct spool_column_view columns[3];
};

static void make_rows(struct rows *rows, enum task task)
{
    *rows = (struct rows){
        .inputs = {{.name = SLICE("x"), .type = INPUT_NUMERIC},
                   {.name = SLICE("code"), .type = INPUT_CATEGORY, .vocabulary_max = 100}},
        .spec = {.family = SLICE("network"),
                 .task = task,
                 .input_count = 2,
                 .label = SLICE("label"),
                 .label_type = LABEL_INTEGER,
                 .standardize = true}};
    rows->spec.inputs = rows->inputs;
    for (uint32_t i = 0; i < 3; i++)
        rows->columns[i] = (struct spool_column_view){
            .type = SPOOL_INTEGER, .numbers = &rows->numbers[0][i], .stride = 3};
    for (uint32_t row = 0; row < ROWS; row++) {
        rows->numbers[row][0] = row;
        rows->numbers[row][1] = row * 7 % 150;
        rows->numbers[row][2] = row % 5;
    }
}

static enum status add_half(const struct rows *rows, uint32_t first,
                            struct column_statistics **statistics, struct error *err)
{
    TRY(column_statistics_new(&rows->spec, WORD_BYTES, statistics, err));
    return column_statistics_add(*statistics, rows->columns, first, ROWS / 2, NULL, err);
}

static enum status join(struct column_statistics *statistics, const struct column_statistics *half,
                        const struct column_statistics *other, struct text *result,
                        struct error *err)
{
    struct text bytes;
    enum status status;

    TRY(column_statistics_merge(statistics, half, err));
    text_init(&bytes, TEXT_MAXIMUM);
    status = column_statistics_put(other, &bytes, err);
    if (status == STATUS_OK)
        status = column_statistics_read(statistics, text_slice(&bytes), err);
    text_append(result, text_slice(&bytes));
    text_deinit(&bytes);
    return status;
}

static enum status finish(const struct column_statistics *statistics, struct text *result,
                          struct error *err)
{
    struct dataset dataset = {0};
    struct class_index index = {0};
    enum status status;

    arena_init(&dataset.arena, ARENA_MAXIMUM);
    status = column_statistics_finish(statistics, &dataset, &index, err);
    if (status == STATUS_OK)
        text_printf(result, "%u words, %u classes, label by %g", dataset.transform.id_rows,
                    dataset.labels.count, dataset.label_scale);
    class_index_deinit(&index);
    arena_deinit(&dataset.arena);
    return status;
}

static enum status count_and_finish(void *context, struct text *result, struct error *err)
{
    const struct rows *rows = context;
    struct column_statistics *half = NULL, *other = NULL, *whole = NULL;
    enum status status;

    TRY_OR(done, status, add_half(rows, 0, &half, err));
    TRY_OR(done, status, add_half(rows, ROWS / 2, &other, err));
    TRY_OR(done, status, column_statistics_new(&rows->spec, WORD_BYTES, &whole, err));
    TRY_OR(done, status, join(whole, half, other, result, err));
    status = finish(whole, result, err);
done:
    column_statistics_free(half);
    column_statistics_free(other);
    column_statistics_free(whole);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    struct rows rows;
    (void)state;

    make_rows(&rows, TASK_CLASSIFICATION);
    check_every_allocation_may_fail("classes", count_and_finish, &rows);
    make_rows(&rows, TASK_REGRESSION);
    check_every_allocation_may_fail("numbers", count_and_finish, &rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
