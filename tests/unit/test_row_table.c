#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "runtime/learn/networks/start.h"
#include "runtime/ps/rows/row_snapshot.h"

#define WIDTH 3
#define SEED  7
#define TABLE 5
#define START 0.2
#define RATE  0.1
#define MANY  700 /* ids of a push, so that it has several blocks */

static struct row_memory memory;

static struct row_table_options options_of(enum optimizer_kind kind)
{
    return (struct row_table_options){
        .seed = SEED,
        .number = TABLE,
        .width = WIDTH,
        .start = START,
        .settings = {.optimizer = kind,
                     .learning_rate = RATE,
                     .momentum = kind == OPTIMIZER_RMSPROP ? 0.5 : 0.9,
                     .beta1 = 0.9,
                     .beta2 = 0.999,
                     .rho = 0.95,
                     .epsilon = 1e-7,
                     .initial_accumulator = 0.1,
                     .weight_decay = 0.01,
                     .rate_power = -0.5,
                     .l2 = 1e-3,
                     .centered = kind == OPTIMIZER_RMSPROP},
        .steps = 100,
    };
}

static struct row_table table_of(struct row_table_options options)
{
    struct row_table table;
    struct error err;

    memory = (struct row_memory){.limit = UINT64_MAX};
    CHECK_OK(row_table_init(&table, &options, &memory, &err));
    return table;
}

static void close_table(struct row_table *table)
{
    row_table_deinit(table);
    CHECK_INT(memory.used, 0);
}

/* The same gradient whoever asks. */
static float gradient_of(uint64_t id, uint32_t step, uint32_t j)
{
    return (float)(random_uniform(SEED, RANDOM_SIMULATION, id, step * 16 + j) - 0.5);
}

struct batch {
    uint32_t count;
    uint64_t ids[MANY];
    uint32_t seen[MANY];
    float gradient[MANY * WIDTH];
};

/* Every id below so many that the draw of this step takes. */
static void fill_batch(struct batch *batch, uint32_t step, uint64_t below, double share)
{
    batch->count = 0;
    for (uint64_t id = 0; id < below && batch->count < MANY; id++) {
        const uint64_t spread = id * 0x10001; /* ids need not be dense */

        if (random_uniform(SEED, RANDOM_SIMULATION, id, 1000 + step) >= share)
            continue;
        batch->ids[batch->count] = spread;
        batch->seen[batch->count] = 1 + (uint32_t)(id % 3);
        for (uint32_t j = 0; j < WIDTH; j++)
            batch->gradient[batch->count * WIDTH + j] = gradient_of(spread, step, j);
        batch->count++;
    }
}

static struct row_push push_of(const struct batch *batch, uint32_t step)
{
    return (struct row_push){.ids = {batch->ids, batch->count},
                             .seen = batch->seen,
                             .gradient = batch->gradient,
                             .step = step,
                             .rate_step = step - 1,
                             .rate_factor = 1};
}

static void push_batch(struct row_table *table, const struct batch *batch, uint32_t step)
{
    const struct row_push push = push_of(batch, step);
    struct error err;

    CHECK_OK(row_table_reserve(table, &push, &err));
    row_table_push(table, &push);
}

static void push_step(struct row_table *table, uint32_t step, uint64_t below, double share)
{
    struct batch batch;

    fill_batch(&batch, step, below, share);
    push_batch(table, &batch, step);
}

static void push_one(struct row_table *table, uint64_t id, uint32_t seen, uint32_t step)
{
    struct batch batch = {.count = 1, .ids = {id}, .seen = {seen}, .gradient = {1, 1, 1}};

    push_batch(table, &batch, step);
}

static float pull_first(struct row_table *table, uint64_t id, uint32_t step)
{
    float values[WIDTH];

    row_table_pull(table, step, (struct row_ids){&id, 1}, values);
    return values[0];
}

static float start_of(uint64_t id)
{
    float values[WIDTH];

    start_uniform(SEED, TABLE, id * WIDTH, WIDTH, START, values);
    return values[0];
}

/* ---- rows ---- */

static void pulls_change_nothing(void **state)
{
    struct row_table table = table_of(options_of(OPTIMIZER_SGD));
    const uint64_t before = memory.used;

    (void)state;
    assert_float_equal(pull_first(&table, 12345678901, 1), start_of(12345678901), 0);
    CHECK_INT(table.counts.made, 0);
    CHECK_INT(memory.used, before);
    close_table(&table);
}

/* One tensor of all rows, moved by the optimizer itself where the table is pushed. */
static void each_optimizer_moves_rows_as_it_moves_tensors(enum optimizer_kind kind)
{
    enum { ROWS = 150, STEPS = 6 };
    struct row_table table = table_of(options_of(kind));
    const struct descent_settings *settings = &table.options.settings;
    float weights[ROWS][WIDTH], slots[OPTIMIZER_SLOTS_MAX][ROWS][WIDTH];
    bool is_made[ROWS] = {false};
    struct batch batch;

    for (uint32_t step = 1; step <= STEPS; step++) {
        const struct optimizer_step numbers = optimizer_step_at(&table.optimizer, step - 1);

        fill_batch(&batch, step, ROWS, 0.6);
        push_batch(&table, &batch, step);
        for (uint32_t i = 0; i < batch.count; i++) {
            const uint64_t row = batch.ids[i] / 0x10001;
            float *const at[OPTIMIZER_SLOTS_MAX] = {slots[0][row], slots[1][row], slots[2][row]};
            struct optimizer_sums before = {0}, after = {0};

            if (!is_made[row]) {
                start_uniform(SEED, TABLE, batch.ids[i] * WIDTH, WIDTH, START, weights[row]);
                optimizer_start(&table.optimizer, false, WIDTH, weights[row], at);
            }
            is_made[row] = true;
            optimizer_update(&(struct optimizer_update){.step = &numbers,
                                                        .l2 = (float)settings->l2,
                                                        .count = WIDTH,
                                                        .gradient = batch.gradient + i * WIDTH,
                                                        .parameters = weights[row],
                                                        .slots = {at[0], at[1], at[2]}},
                             &before, &after);
        }
    }
    for (uint64_t row = 0; row < ROWS; row++) {
        const uint64_t id = row * 0x10001;
        float pulled[WIDTH];

        CHECK(is_made[row]);
        row_table_pull(&table, STEPS, (struct row_ids){&id, 1}, pulled);
        assert_memory_equal(pulled, weights[row], sizeof pulled);
    }
    CHECK_INT(table.counts.rows, ROWS);
    close_table(&table);
}

static void optimizers_move_rows_as_they_move_tensors(void **state)
{
    (void)state;
#define X(name, text) each_optimizer_moves_rows_as_it_moves_tensors(name);
    OPTIMIZER_MAP(X)
#undef X
}

#define IDS 20

/* A table of one process, all of whose rows are there from the start. */
struct whole {
    float weights[IDS * WIDTH], slots[OPTIMIZER_SLOTS_MAX][IDS * WIDTH];
    uint32_t steps[IDS];
    struct optimizer_row_sums known[IDS];
};

static void move_whole(struct whole *whole, const struct row_table *table,
                       const struct batch *batch, uint32_t step)
{
    const struct optimizer_step dense = optimizer_step_at(&table->optimizer, step - 1);
    const struct optimizer_step of_rows =
        optimizer_row_step_at(&table->optimizer, step - 1, &dense);
    struct optimizer_rows_change change = {0};
    uint32_t rows[IDS];
    const struct optimizer_rows update = {.step = &of_rows,
                                          .powers = &table->powers,
                                          .l2 = (float)table->options.settings.l2,
                                          .now = step,
                                          .count = batch->count,
                                          .width = WIDTH,
                                          .rows = rows,
                                          .gradient = batch->gradient,
                                          .parameters = whole->weights,
                                          .first = whole->slots[0],
                                          .second = whole->slots[1],
                                          .row_steps = whole->steps,
                                          .known = whole->known};

    for (uint32_t i = 0; i < batch->count; i++)
        rows[i] = (uint32_t)(batch->ids[i] / 0x10001);
    optimizer_update_rows(&update, &change);
}

/* Also in the steps between two of its pushes. */
static void selected_rows_learn_as_in_a_table_of_one_process(void **state)
{
    static const enum optimizer_kind kinds[] = {OPTIMIZER_SGD, OPTIMIZER_MOMENTUM,
                                                OPTIMIZER_ADAGRAD, OPTIMIZER_ADAM};
    (void)state;

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct row_table_options options = options_of(kinds[k]);
        struct row_table table;
        struct whole whole = {0};
        float values[WIDTH];

        options.is_selected = true;
        table = table_of(options);
        for (uint64_t i = 0; i < IDS; i++) {
            float *slots[] = {whole.slots[0] + i * WIDTH, whole.slots[1] + i * WIDTH,
                              whole.slots[2] + i * WIDTH};

            start_uniform(SEED, TABLE, i * 0x10001 * WIDTH, WIDTH, START,
                          whole.weights + i * WIDTH);
            optimizer_start(&table.optimizer, false, WIDTH, whole.weights + i * WIDTH, slots);
        }
        for (uint32_t step = 1; step <= 40; step++) {
            struct batch batch;

            fill_batch(&batch, step, IDS, .15);
            push_batch(&table, &batch, step);
            move_whole(&whole, &table, &batch, step);
        }
        for (uint64_t i = 0; i < IDS; i++) {
            row_table_pull(&table, 40, (struct row_ids){(uint64_t[]){i * 0x10001}, 1}, values);
            assert_memory_equal(values, whole.weights + i * WIDTH, sizeof values);
        }
        close_table(&table);
    }
}

/* Its row came from a server whose clock was ahead. */
static void a_step_before_the_row_s_last_counts_as_the_next(void **state)
{
    struct row_table_options options = options_of(OPTIMIZER_ADAM);
    struct row_table table;
    float before, after;
    (void)state;

    options.is_selected = true;
    table = table_of(options);
    push_one(&table, 3, 1, 50);
    before = pull_first(&table, 3, 50);
    push_one(&table, 3, 1, 20);
    after = pull_first(&table, 3, 20);
    CHECK(after < before &&
          after > before - 4 * (float)RATE); /* no penalty of thousands of steps */
    close_table(&table);
}

static void a_stale_gradient_moves_less(void **state)
{
    const enum optimizer_kind kinds[] = {OPTIMIZER_SGD, OPTIMIZER_ADAM, OPTIMIZER_FTRL};

    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct row_table_options options = options_of(kinds[k]);
        float moved[2];

        options.settings.l2 = 0;
        for (int half = 0; half < 2; half++) {
            struct row_table table = table_of(options);
            struct batch batch = {.count = 1, .ids = {9}, .seen = {1}, .gradient = {1, 1, 1}};
            struct row_push push = push_of(&batch, 1);
            struct error err;

            push.rate_factor = half ? 0.5f : 1;
            CHECK_OK(row_table_reserve(&table, &push, &err));
            row_table_push(&table, &push);
            moved[half] = start_of(9) - pull_first(&table, 9, 1);
            close_table(&table);
        }
        CHECK(moved[1] > 0 && moved[1] < moved[0]);
        if (kinds[k] != OPTIMIZER_FTRL)
            assert_float_equal(moved[1], moved[0] / 2, 1e-6);
    }
}

static void ids_must_ascend(void **state)
{
    const uint64_t good[] = {0, 1, UINT64_MAX}, twice[] = {1, 2, 2}, back[] = {3, 2};

    (void)state;
    CHECK(row_ids_ascend((struct row_ids){good, 3}));
    CHECK(row_ids_ascend((struct row_ids){good, 0}));
    CHECK(!row_ids_ascend((struct row_ids){twice, 3}));
    CHECK(!row_ids_ascend((struct row_ids){back, 2}));
}

/* ---- rare rows ---- */

static void rare_rows_stay_out(void **state)
{
    struct row_table_options options = options_of(OPTIMIZER_SGD);
    struct row_table table;

    (void)state;
    options.min_count = 5;
    options.settings.l2 = 0;
    table = table_of(options);
    assert_float_equal(pull_first(&table, 8, 0), 0, 0);
    push_one(&table, 8, 3, 1);
    push_one(&table, 8, 1, 2);
    CHECK_INT(table.counts.counted, 1);
    CHECK_INT(table.counts.rows, 0);
    assert_float_equal(pull_first(&table, 8, 2), 0, 0);
    push_one(&table, 8, 1, 3); /* the fifth: it is in, as it starts */
    CHECK_INT(table.counts.counted, 0);
    CHECK_INT(table.counts.rows, 1);
    assert_float_equal(pull_first(&table, 8, 3), start_of(8), 0);
    push_one(&table, 8, 1, 4);
    assert_float_equal(pull_first(&table, 8, 4), start_of(8) - (float)RATE, 1e-7);
    close_table(&table);
}

static void counts_do_not_wrap(void **state)
{
    struct row_table_options options = options_of(OPTIMIZER_SGD);
    struct row_table table;

    (void)state;
    options.min_count = UINT32_MAX;
    table = table_of(options);
    push_one(&table, 8, UINT32_MAX - 1, 1);
    CHECK_INT(table.counts.rows, 0);
    push_one(&table, 8, 7, 2);
    CHECK_INT(table.counts.rows, 1);
    push_one(&table, 8, 7, 3);
    CHECK_INT(table.counts.rows, 1);
    close_table(&table);
}

/* ---- old rows ---- */

static void old_rows_are_let_go(void **state)
{
    struct row_table_options options = options_of(OPTIMIZER_ADAGRAD);
    struct row_table table;
    float once;

    (void)state;
    options.expire_steps = 10;
    table = table_of(options);
    push_one(&table, 8, 1, 1);
    once = pull_first(&table, 8, 11);
    CHECK(once != start_of(8));
    assert_float_equal(pull_first(&table, 8, 12), start_of(8), 0);
    push_one(&table, 8, 1, 12); /* slots as well begin again */
    assert_float_equal(pull_first(&table, 8, 12), once, 0);
    CHECK_INT(table.counts.expired, 1);
    CHECK_INT(table.counts.rows, 1);
    CHECK_INT(table.counts.made, 2);
    close_table(&table);
}

/* Whether and when memory is given back changes no value. */
static void sweeping_changes_no_value(void **state)
{
    struct row_table_options options = options_of(OPTIMIZER_ADAM);
    struct row_table swept, other;

    (void)state;
    options.expire_steps = 3;
    options.min_count = 2;
    swept = table_of(options);
    other = table_of(options);
    for (uint32_t step = 1; step <= 40; step++) {
        push_step(&swept, step, 500, 0.2);
        push_step(&other, step, 500, 0.2);
        for (uint32_t b = step % 3; b < BUCKETS_PER_TABLE; b += 3)
            row_table_sweep(&swept, step, b);
        CHECK(row_table_digest(&swept, step) == row_table_digest(&other, step));
    }
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++) {
        row_table_sweep(&swept, 40, b);
        row_table_sweep(&other, 40, b);
    }
    CHECK_INT(swept.counts.rows, other.counts.rows);
    CHECK_INT(swept.counts.counted, other.counts.counted);
    CHECK_INT(swept.counts.expired, other.counts.expired);
    CHECK(swept.counts.expired > 100 && swept.counts.rows > 100);
    row_table_deinit(&swept);
    row_table_deinit(&other);
}

/* ---- memory ---- */

static void the_limit_of_memory_is_kept(void **state)
{
    struct row_table table = table_of(options_of(OPTIMIZER_ADAM));
    struct batch batch;
    struct row_push push;
    struct error err;
    uint64_t digest;

    (void)state;
    push_step(&table, 1, 300, 0.5);
    digest = row_table_digest(&table, 1);
    memory.limit = memory.used + 4096;
    fill_batch(&batch, 2, 700, 1);
    push = push_of(&batch, 2);
    CHECK_FAILS(row_table_reserve(&table, &push, &err), STATUS_LIMIT,
                "the rows of a parameter server need more than its");
    CHECK(memory.used <= memory.limit);
    CHECK(row_table_digest(&table, 1) == digest);
    memory.limit = UINT64_MAX;
    push_batch(&table, &batch, 2);
    CHECK_INT(table.counts.rows, 700);
    close_table(&table);
}

static void a_bucket_gives_its_memory_back(void **state)
{
    struct row_table table = table_of(options_of(OPTIMIZER_ADAM));

    (void)state;
    push_step(&table, 1, 700, 1);
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
        row_table_drop_bucket(&table, b);
    CHECK_INT(memory.used, 0);
    CHECK_INT(table.counts.rows, 0);
    push_step(&table, 2, 700, 1);
    CHECK_INT(table.counts.rows, 700);
    close_table(&table);
}

static void options_out_of_range_are_refused(void **state)
{
    struct row_table_options options = options_of(OPTIMIZER_SGD);
    struct row_table table;
    struct error err;

    (void)state;
    options.width = 0;
    CHECK_FAILS(row_table_init(&table, &options, &memory, &err), STATUS_INVALID,
                "a table has rows of 1 to 4096 numbers, not 0");
    options.width = ROW_WIDTH_MAX + 1;
    CHECK_FAILS(row_table_init(&table, &options, &memory, &err), STATUS_INVALID, "not 4097");
    options.width = WIDTH;
    options.start = -1;
    CHECK_FAILS(row_table_init(&table, &options, &memory, &err), STATUS_INVALID,
                "a table starts within 0 to");
}

/* ---- snapshots ---- */

/* Images of all buckets in the order `b * stride`, with pushes in between. */
static void take_images(struct row_table *table, uint32_t stride, uint32_t *step,
                        struct text images[BUCKETS_PER_TABLE])
{
    struct error err;

    for (uint32_t i = 0; i < BUCKETS_PER_TABLE; i++) {
        const uint32_t b = i * stride % BUCKETS_PER_TABLE;

        if (i % 64 == 3)
            push_step(table, ++*step, 900, 0.3);
        text_init(images + b, ROW_IMAGE_MAX);
        CHECK_OK(row_snapshot_image(table, b, images + b, &err));
    }
    row_snapshot_end(table);
}

static void load_images(struct row_table *table, struct text images[BUCKETS_PER_TABLE])
{
    struct error err;

    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++) {
        CHECK_OK(row_image_load(table, text_slice(images + b), &err));
        text_deinit(images + b);
    }
}

static void a_snapshot_is_of_one_moment(void **state)
{
    struct row_table_options options = options_of(OPTIMIZER_ADAM);
    struct row_table table, copy;
    static struct text images[BUCKETS_PER_TABLE];
    struct error err;
    uint32_t step = 0, first;
    uint64_t at_first;

    (void)state;
    options.expire_steps = 12;
    options.min_count = 3;
    table = table_of(options);
    CHECK_OK(row_table_init(&copy, &options, &memory, &err));
    for (int i = 0; i < 15; i++)
        push_step(&table, ++step, 900, 0.2);
    first = step;
    at_first = row_table_digest(&table, first);
    CHECK_OK(row_snapshot_begin(&table, first, &err));
    take_images(&table, 1, &step, images);
    CHECK(row_table_digest(&table, step) != at_first);
    load_images(&copy, images);
    CHECK(row_table_digest(&copy, first) == at_first);

    /* A second one, over what is there; and the copy goes on as the table did. */
    const uint32_t second = step;
    const uint64_t at_second = row_table_digest(&table, second);

    CHECK_OK(row_snapshot_begin(&table, second, &err));
    take_images(&table, 7, &step, images);
    row_table_deinit(&copy);
    CHECK_OK(row_table_init(&copy, &options, &memory, &err));
    load_images(&copy, images);
    CHECK(row_table_digest(&copy, second) == at_second);
    for (uint32_t i = second; i < step;)
        push_step(&copy, ++i, 900, 0.3);
    CHECK(row_table_digest(&copy, step) == row_table_digest(&table, step));
    row_table_deinit(&copy);
    close_table(&table);
}

static void damaged_images_are_refused(void **state)
{
    struct row_table table = table_of(options_of(OPTIMIZER_ADAM)), copy;
    struct row_table_options other = options_of(OPTIMIZER_SGD);
    struct text image;
    struct error err;
    const uint32_t b = row_bucket_of(TABLE, row_hash(8));

    (void)state;
    push_one(&table, 8, 1, 1);
    CHECK_OK(row_snapshot_begin(&table, 1, &err));
    text_init(&image, ROW_IMAGE_MAX);
    CHECK_OK(row_snapshot_image(&table, b, &image, &err));
    row_snapshot_end(&table);
    for (size_t size = 0; size < image.size; size++)
        CHECK_FAILS(row_image_load(&table, (struct slice){image.data, size}, &err), STATUS_CORRUPT,
                    "stored rows of a parameter server are damaged");
    text_append_char(&image, 0);
    CHECK_FAILS(row_image_load(&table, text_slice(&image), &err), STATUS_CORRUPT, "are damaged");
    image.size--;
    image.data[24] ^= 1; /* another id, of another bucket */
    CHECK_FAILS(row_image_load(&table, text_slice(&image), &err), STATUS_CORRUPT, "are damaged");
    image.data[24] ^= 1;
    CHECK_OK(row_image_load(&table, text_slice(&image), &err));
    CHECK_INT(table.counts.rows, 1);

    CHECK_OK(row_table_init(&copy, &other, &memory, &err));
    CHECK_FAILS(row_image_load(&copy, text_slice(&image), &err), STATUS_CORRUPT, "are damaged");
    row_table_deinit(&copy);
    text_deinit(&image);
    close_table(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulls_change_nothing),
        cmocka_unit_test(optimizers_move_rows_as_they_move_tensors),
        cmocka_unit_test(selected_rows_learn_as_in_a_table_of_one_process),
        cmocka_unit_test(a_step_before_the_row_s_last_counts_as_the_next),
        cmocka_unit_test(a_stale_gradient_moves_less),
        cmocka_unit_test(ids_must_ascend),
        cmocka_unit_test(rare_rows_stay_out),
        cmocka_unit_test(counts_do_not_wrap),
        cmocka_unit_test(old_rows_are_let_go),
        cmocka_unit_test(sweeping_changes_no_value),
        cmocka_unit_test(the_limit_of_memory_is_kept),
        cmocka_unit_test(a_bucket_gives_its_memory_back),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(a_snapshot_is_of_one_moment),
        cmocka_unit_test(damaged_images_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
