#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/learn/networks/embedding_network.h"
#include "runtime/ps/worker/embedding_batches.h"
#include "tests/unit/embedding_case.h"

#define ROWS   700
#define SHARDS 5
#define BATCH  48
#define WORDS  3

static const struct embedding_parts all_parts[] = {
    {.interaction = INTERACTION_NONE, .is_wide = true, .hidden_layers = 2},
    {.interaction = INTERACTION_NONE, .is_wide = true},
    {.interaction = INTERACTION_PAIRS, .is_wide = true, .hidden_layers = 2},
    {.interaction = INTERACTION_CROSS, .cross_weights = CROSS_MATRIX, .hidden_layers = 1},
    {.interaction = INTERACTION_COMPRESSED, .is_wide = true, .hidden_layers = 2},
};
#define PARTS (sizeof all_parts / sizeof *all_parts)

static struct shard_plan plan_of(uint64_t rows, uint32_t shards, uint32_t epochs)
{
    return (struct shard_plan){.shards_per_epoch = shards,
                               .epochs = epochs,
                               .batches =
                                   (uint32_t)(((rows + BATCH - 1) / BATCH + shards - 1) / shards),
                               .rows = rows};
}

/* ---- a job, and the tables that its servers would have ---- */

struct fixture {
    struct embedding_case of;
    struct embedding_batches batches;
    struct batch_learning learning;
    struct row_memory memory;
    struct row_table_options options[EMBEDDING_ARRAYS_MAX];
    struct row_table tables[EMBEDDING_ARRAYS_MAX];
    uint32_t table_count;
    uint32_t step;
};

static void fixture_open(struct fixture *fixture, struct rows_shape shape, uint32_t words,
                         struct embedding_parts parts)
{
    const struct shard_plan plan = plan_of(ROWS, SHARDS, 12);
    struct error err;

    *fixture = (struct fixture){.memory = {.limit = UINT64_MAX}};
    embedding_case_open(&fixture->of, shape, words, parts);
    CHECK_OK(embedding_tables(&fixture->of.spec, &fixture->of.dataset, 1000, fixture->options,
                              &fixture->table_count, &err));
    for (uint32_t t = 0; t < fixture->table_count; t++)
        CHECK_OK(row_table_init(&fixture->tables[t], &fixture->options[t], &fixture->memory, &err));
    CHECK_OK(embedding_batches_init(&fixture->batches, &fixture->of.spec, &fixture->of.dataset,
                                    &plan, NULL, &err));
    fixture->learning = embedding_batches_learning(&fixture->batches);
    CHECK_INT(fixture->learning.table_count, fixture->table_count);
}

static void fixture_close(struct fixture *fixture)
{
    for (uint32_t t = 0; t < fixture->table_count; t++)
        row_table_deinit(&fixture->tables[t]);
    embedding_batches_deinit(&fixture->batches);
    embedding_case_close(&fixture->of);
}

/* The rows of a batch, as they are now. The caller frees them. */
static float *pull(struct fixture *fixture, const struct batch_rows *rows, size_t *floats)
{
    const uint64_t *ids = rows->ids;
    float *values, *to;

    *floats = 0;
    for (uint32_t t = 0; t < fixture->table_count; t++)
        *floats += (size_t)rows->counts[t] * fixture->learning.widths[t];
    values = to = calloc(*floats + 1, sizeof *values);
    assert_non_null(values);
    for (uint32_t t = 0; t < fixture->table_count; t++) {
        row_table_pull(&fixture->tables[t], fixture->step, (struct row_ids){ids, rows->counts[t]},
                       to);
        ids += rows->counts[t];
        to += (size_t)rows->counts[t] * fixture->learning.widths[t];
    }
    return values;
}

static void push(struct fixture *fixture, const struct batch_rows *rows, const float *gradient)
{
    const uint64_t *ids = rows->ids;
    const uint32_t *seen = rows->seen;
    struct error err;

    for (uint32_t t = 0; t < fixture->table_count; t++) {
        const struct row_push of_table = {.ids = {ids, rows->counts[t]},
                                          .seen = seen,
                                          .gradient = gradient,
                                          .step = fixture->step,
                                          .rate_step = fixture->step,
                                          .rate_factor = 1};

        CHECK(row_ids_ascend(of_table.ids));
        CHECK_OK(row_table_reserve(&fixture->tables[t], &of_table, &err));
        row_table_push(&fixture->tables[t], &of_table);
        ids += rows->counts[t];
        seen += rows->counts[t];
        gradient += (size_t)rows->counts[t] * fixture->learning.widths[t];
    }
}

static void learn_batch(struct fixture *fixture, uint64_t shard, uint32_t batch)
{
    struct batch_rows rows;
    float *values, *gradient;
    size_t floats;
    struct error err;

    CHECK_OK(fixture->learning.select(fixture->learning.self, shard, batch, &rows, &err));
    values = pull(fixture, &rows, &floats);
    gradient = calloc(floats + 1, sizeof *gradient);
    assert_non_null(gradient);
    CHECK_OK(fixture->learning.compute(fixture->learning.self, values, gradient, &err));
    fixture->step++;
    push(fixture, &rows, gradient);
    free(values);
    free(gradient);
}

/* Loss a row, as the weights were when it was computed. */
static double learn_epoch(struct fixture *fixture, uint64_t epoch)
{
    struct batch_loss loss;
    struct error err;

    for (uint64_t shard = epoch * SHARDS; shard < (epoch + 1) * SHARDS; shard++) {
        uint32_t batches;

        CHECK_OK(fixture->learning.open(fixture->learning.self, shard, &batches, &err));
        for (uint32_t b = 0; b < batches; b++)
            learn_batch(fixture, shard, b);
        fixture->learning.close(fixture->learning.self, shard);
    }
    loss = fixture->learning.take_loss(fixture->learning.self);
    CHECK_INT(loss.rows, ROWS);
    CHECK_INT(fixture->learning.take_loss(fixture->learning.self).rows, 0);
    return loss.loss / ROWS;
}

/* ---- what rows start with ---- */

/* Those of the network that a worker holds whole; only what a model without inputs would say is the
 * workers' to add. */
static void rows_start_where_those_of_one_worker_do(void **state)
{
    (void)state;
    for (size_t p = 0; p < PARTS; p++) {
        const struct rows_shape shape = {ROWS, 0, 2, 3, 12, 3};
        struct embedding_network network;
        struct fixture fixture;
        struct error err;
        float *parameters;

        fixture_open(&fixture, shape, 0, all_parts[p]);
        for (uint32_t c = 0; c < 3; c++) {
            fixture.of.dataset.transform.inputs[2 + c].first_id = c * 4;
            fixture.of.dataset.transform.inputs[2 + c].id_rows = 4;
        }
        CHECK_OK(embedding_network_init(&network, &fixture.of.spec, &fixture.of.dataset, &err));
        parameters = calloc(network.parameter_count, sizeof *parameters);
        assert_non_null(parameters);
        embedding_network_start(&network, parameters);
        for (uint32_t j = 0; j < 3; j++)
            CHECK((double)parameters[network.last.bias + j] == (double)fixture.batches.outputs[j]);
        memset(parameters + network.last.bias, 0, 3 * sizeof *parameters);
        for (uint32_t t = 0; t < fixture.table_count; t++)
            for (uint64_t id = 0; id < network.shape.arrays[t].rows; id++) {
                const uint32_t width = fixture.learning.widths[t];
                float row[64];

                assert_in_range(width, 1, 64);
                row_table_pull(&fixture.tables[t], 0, (struct row_ids){&id, 1}, row);
                assert_memory_equal(row, parameters + network.tensors[t].first + id * width,
                                    width * sizeof *row);
            }
        free(parameters);
        embedding_network_deinit(&network);
        fixture_close(&fixture);
    }
}

/* ---- gradients ---- */

/* The network that a worker holds whole, with the weights that the tables have now. */
static float *whole_parameters(struct fixture *fixture, const struct embedding_network *network)
{
    float *parameters = calloc(network->parameter_count, sizeof *parameters);

    assert_non_null(parameters);
    for (uint32_t t = 0; t < fixture->table_count; t++)
        for (uint64_t id = 0; id < network->shape.arrays[t].rows; id++)
            row_table_pull(&fixture->tables[t], fixture->step, (struct row_ids){&id, 1},
                           parameters + network->tensors[t].first +
                               id * fixture->learning.widths[t]);
    for (uint32_t j = 0; j < network->head.outputs; j++)
        parameters[network->last.bias + j] += fixture->batches.outputs[j];
    return parameters;
}

static void check_gradient(struct fixture *fixture, const struct embedding_network *network,
                           struct embedding_space *space)
{
    const struct embedding_shape *shape = &network->shape;
    struct lane_rows rows = fixture->batches.rows;
    float *parameters = whole_parameters(fixture, network), *values, *gradient, *at;
    float *derived = calloc(network->transposed_count + 1u, sizeof *derived);
    struct lane_gradient whole;
    struct batch_rows batch = {fixture->batches.counts, fixture->batches.row_ids,
                               fixture->batches.seen};
    size_t floats;
    struct error err;

    values = pull(fixture, &batch, &floats);
    gradient = calloc(floats + 1, sizeof *gradient);
    assert_non_null(gradient);
    CHECK_OK(fixture->learning.compute(fixture->learning.self, values, gradient, &err));
    rows.dataset = &fixture->of.dataset;
    rows.part = &fixture->of.dataset.train;
    embedding_network_transpose(network, parameters, derived);
    whole = embedding_network_gradient(network, parameters, derived, &rows, space);
    CHECK_INT(whole.touched_count, batch.counts[0]);
    for (uint32_t i = 0; i < batch.counts[0]; i++) {
        const uint32_t place = touched_rows_place(&space->touched, (uint32_t)batch.ids[i]);

        assert_memory_equal(gradient + i * shape->row_width,
                            whole.values + place * shape->row_width,
                            shape->row_width * sizeof *gradient);
    }
    at = gradient + batch.counts[0] * shape->row_width;
    for (uint32_t t = 1; t < fixture->table_count; t++) {
        assert_memory_equal(at, whole.values + network->tensors[t].first,
                            network->tensors[t].count * sizeof *at);
        at += network->tensors[t].count;
    }
    embedding_network_clear(network, space);
    free(parameters);
    free(derived);
    free(values);
    free(gradient);
}

/* To the bit: it does not matter what else the table has. */
static void a_gradient_over_pulled_rows_is_that_of_the_whole_network(void **state)
{
    (void)state;
    for (size_t p = 0; p < 2 * PARTS; p++) {
        const uint32_t words = p < PARTS ? 0 : WORDS;
        const struct rows_shape shape = {ROWS, 0, 2, 3 + words, 700, 2 + (uint32_t)p % 2};
        struct embedding_network network;
        struct embedding_space space;
        struct fixture fixture;
        struct batch_rows rows;
        struct error err;
        uint32_t batches;

        fixture_open(&fixture, shape, words, all_parts[p % PARTS]);
        network_params(&fixture.of.spec.params)->dropout = 0.2;
        fixture.batches.network.dropout.rate = 0.2;
        embedding_space_deinit(&fixture.batches.space);
        CHECK_OK(embedding_space_init(&fixture.batches.space, &fixture.batches.network, &err));
        CHECK_OK(embedding_network_init(&network, &fixture.of.spec, &fixture.of.dataset, &err));
        CHECK_OK(embedding_space_init(&space, &network, &err));
        learn_epoch(&fixture, 0);
        CHECK_OK(fixture.learning.open(fixture.learning.self, SHARDS, &batches, &err));
        for (uint32_t b = 0; b < batches; b++) {
            CHECK_OK(fixture.learning.select(fixture.learning.self, SHARDS, b, &rows, &err));
            CHECK_INT(rows.counts[0], fixture.batches.places.count);
            check_gradient(&fixture, &network, &space);
        }
        embedding_space_deinit(&space);
        embedding_network_deinit(&network);
        fixture_close(&fixture);
    }
}

/* ---- rows of data ---- */

static void each_epoch_has_each_row_once_in_an_order_of_its_own(void **state)
{
    uint32_t first[2][BATCH];
    struct fixture fixture;
    struct error err;
    (void)state;

    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 2, 3, 12, 2}, 0, all_parts[0]);
    for (uint64_t epoch = 0; epoch < 2; epoch++) {
        bool taken[ROWS] = {false};

        for (uint64_t shard = epoch * SHARDS; shard < (epoch + 1) * SHARDS; shard++) {
            uint32_t batches;

            CHECK_OK(fixture.learning.open(fixture.learning.self, shard, &batches, &err));
            CHECK_INT(batches, ((ROWS + BATCH - 1) / BATCH + SHARDS - 1) / SHARDS);
            CHECK_INT(held_rows(&fixture.of.dataset, &fixture.of.dataset.train),
                      fixture.batches.open[0].rows);
            for (uint32_t b = 0; b < batches; b++) {
                const struct lane_rows *rows = &fixture.batches.rows;
                struct batch_rows selected;

                CHECK_OK(fixture.learning.select(fixture.learning.self, shard, b, &selected, &err));
                assert_in_range(rows->count, 1, fixture.batches.batch_most);
                for (uint32_t i = 0; i < rows->count; i++) {
                    const uint64_t row = rows->at.from + rows->order[rows->at.first + i];

                    CHECK(!taken[row]);
                    taken[row] = true;
                }
                if (b == 0 && shard % SHARDS == 1 - epoch) /* the same range of rows */
                    memcpy(first[epoch], rows->order, sizeof first[epoch]);
            }
            fixture.learning.close(fixture.learning.self, shard);
            CHECK_INT(held_rows(&fixture.of.dataset, &fixture.of.dataset.train), 0);
        }
        for (uint32_t row = 0; row < ROWS; row++)
            CHECK(taken[row]);
    }
    CHECK(memcmp(first[0], first[1], sizeof first[0]) != 0);
    fixture_close(&fixture);
}

static void rows_of_data_are_counted_for_each_row_that_they_select(void **state)
{
    struct fixture fixture;
    struct batch_rows rows;
    struct error err;
    uint32_t batches;
    uint64_t selected = 0, ids = 0;
    (void)state;

    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 2, 3, 12, 2}, 0, all_parts[0]);
    CHECK_OK(fixture.learning.open(fixture.learning.self, 2, &batches, &err));
    CHECK_OK(fixture.learning.select(fixture.learning.self, 2, 1, &rows, &err));
    for (uint32_t i = 0; i < rows.counts[0]; i++)
        selected += rows.seen[i];
    for (uint32_t i = 0; i < fixture.batches.rows.count; i++)
        for (uint32_t c = 0; c < 3; c++)
            ids += fixture.of.dataset.train
                       .ids[(fixture.batches.rows.at.from +
                             fixture.batches.rows.order[fixture.batches.rows.at.first + i]) *
                                3 +
                            c] >= 0;
    CHECK_INT(selected, ids);
    CHECK_INT(rows.seen[rows.counts[0]], fixture.batches.rows.count);
    fixture_close(&fixture);
}

/* The mean that a step moves weights by is over the rows of all its lanes. */
static void a_gradient_is_its_part_of_the_mean_over_all_lanes(void **state)
{
    struct fixture fixture;
    struct error err;
    (void)state;

    fixture_open(&fixture, (struct rows_shape){ROWS, 0, 2, 3, 12, 2}, 0, all_parts[0]);
    fixture.batches.plan.lanes = 2;
    for (uint64_t first = 0; first < 3 * SHARDS - 1; first += 2)
        for (uint32_t b = 0; b < fixture.batches.plan.batches; b++) {
            double rows = 0, divisors[2];

            for (uint64_t lane = 0; lane < 2; lane++) {
                struct batch_rows selected;
                uint32_t batches;

                CHECK_OK(
                    fixture.learning.open(fixture.learning.self, first + lane, &batches, &err));
                CHECK_OK(fixture.learning.select(fixture.learning.self, first + lane, b, &selected,
                                                 &err));
                rows += fixture.batches.rows.count;
                divisors[lane] = fixture.batches.rows.divisor;
            }
            CHECK(divisors[0] == rows && divisors[1] == rows);
        }
    fixture_close(&fixture);
}

/* More shards than rows: some have none, and their batches select nothing and push nothing. */
static void a_batch_without_rows_selects_nothing(void **state)
{
    const struct shard_plan plan = plan_of(6, 40, 1);
    struct embedding_batches batches;
    struct batch_learning learning;
    struct embedding_case of;
    struct batch_rows rows;
    struct error err;
    uint32_t count, empty = 0;
    (void)state;

    embedding_case_open(&of, (struct rows_shape){6, 0, 2, 3, 12, 2}, 0, all_parts[0]);
    CHECK_OK(embedding_batches_init(&batches, &of.spec, &of.dataset, &plan, NULL, &err));
    learning = embedding_batches_learning(&batches);
    for (uint64_t shard = 0; shard < 40; shard++) {
        CHECK_OK(learning.open(learning.self, shard, &count, &err));
        CHECK_INT(count, 1);
        CHECK_OK(learning.select(learning.self, shard, 0, &rows, &err));
        if (batches.rows.count > 0)
            continue;
        empty++;
        for (uint32_t t = 0; t < learning.table_count; t++)
            CHECK_INT(rows.counts[t], 0);
        CHECK_OK(learning.compute(learning.self, NULL, NULL, &err));
    }
    CHECK(empty >= 34);
    embedding_batches_deinit(&batches);
    embedding_case_close(&of);
}

/* ---- learning ---- */

static void it_learns(void **state)
{
    (void)state;
    for (size_t p = 0; p < PARTS; p++) {
        struct fixture fixture;
        double first, last = 0;

        fixture_open(&fixture, (struct rows_shape){ROWS, 0, 3, 3, 60, 2}, 0, all_parts[p]);
        first = learn_epoch(&fixture, 0);
        for (uint64_t epoch = 1; epoch < 12; epoch++)
            last = learn_epoch(&fixture, epoch);
        CHECK(last < 0.75 * first);
        fixture_close(&fixture);
    }
}

/* ---- when all is learned ---- */

static void collect(struct fixture *fixture, struct learned_state *state)
{
    const struct batch_learning *learning = &fixture->learning;
    struct error err;
    uint32_t batches;

    CHECK_OK(learning->collect(learning->self, &batches, &err));
    for (uint32_t b = 0; b < batches; b++) {
        struct batch_rows rows;
        float *values;
        size_t floats;

        CHECK_OK(learning->select(learning->self, 0, b, &rows, &err));
        values = pull(fixture, &rows, &floats);
        CHECK_OK(learning->compute(learning->self, values, NULL, &err));
        free(values);
    }
    CHECK_OK(learning->learned(learning->self, state, &err));
}

/* A learner that takes the state has the servers' weights, and nothing left to learn. */
static void what_is_collected_is_the_state_of_a_learner_that_has_learned(void **state)
{
    (void)state;
    for (size_t p = 0; p < PARTS; p++) {
        const struct rows_shape shape = {ROWS, p % 2 ? 90 : 0, 2, 3, 700, 2};
        struct embedding_network network;
        struct learned_state learned;
        struct learner *learner;
        struct fixture fixture;
        const struct phase *phase;
        float *whole, *taken;
        char *bytes;
        struct error err;

        fixture_open(&fixture, shape, 0, all_parts[p]);
        fixture.of.spec.servers = 1; /* its learner has no room for steps */
        learn_epoch(&fixture, 0);
        CHECK_OK(embedding_network_init(&network, &fixture.of.spec, &fixture.of.dataset, &err));
        collect(&fixture, &learned);
        collect(&fixture, &learned); /* again, as when a server was replaced */
        learner = fixture.batches.collected.learner;
        phase = &learner->phase;
        CHECK(phase->kind == (p % 2 ? PHASE_EVALUATION : PHASE_DONE));
        CHECK_INT(phase->step, learner->steps_total);
        CHECK(learned.phase == phase->number && learned.rows_done == 12 * ROWS);
        CHECK_OK(learner_verify(learner, LOOK_AT_ALL, NULL, &err));
        CHECK_INT(learner_state_bytes(learner), network.parameter_count * sizeof(float));
        bytes = malloc(learned.bytes);
        taken = calloc(network.parameter_count, sizeof *taken);
        assert_non_null(bytes);
        assert_non_null(taken);
        for (uint64_t at = 0; at < learned.bytes; at += 1000)
            fixture.learning.read_learned(fixture.learning.self, at,
                                          learned.bytes - at < 1000 ? learned.bytes - at : 1000,
                                          bytes + at);
        memcpy(taken, bytes + learned.bytes - learner_state_bytes(learner),
               network.parameter_count * sizeof *taken);
        whole = whole_parameters(&fixture, &network);
        assert_memory_equal(taken, whole, network.parameter_count * sizeof *taken);
        free(whole);
        free(taken);
        free(bytes);
        embedding_network_deinit(&network);
        fixture_close(&fixture);
    }
}

static void what_servers_cannot_hold_is_refused(void **state)
{
    const struct shard_plan plan = plan_of(40, 2, 1);
    struct row_table_options tables[EMBEDDING_ARRAYS_MAX];
    struct embedding_batches batches;
    struct embedding_case of;
    struct error err;
    uint32_t count;
    (void)state;

    embedding_case_open(&of, (struct rows_shape){40, 0, 2, 3, 12, 2}, 0, all_parts[0]);
    network_params(&of.spec.params)->batch_norm = true;
    CHECK_FAILS(embedding_tables(&of.spec, &of.dataset, 10, tables, &count, &err),
                STATUS_UNSUPPORTED, "model.batch_norm");
    CHECK_FAILS(embedding_batches_init(&batches, &of.spec, &of.dataset, &plan, NULL, &err),
                STATUS_UNSUPPORTED, "model.batch_norm");
    embedding_batches_deinit(&batches);
    network_params(&of.spec.params)->batch_norm = false;
    embedding_params(&of.spec.params)->hidden_units.items[0] = ROW_WIDTH_MAX + 1;
    CHECK_FAILS(embedding_tables(&of.spec, &of.dataset, 10, tables, &count, &err), STATUS_LIMIT,
                "hidden0/weights: rows of 4097 numbers");
    embedding_case_close(&of);
    embedding_case_open(
        &of, (struct rows_shape){40, 0, 2, 3, 12, 2}, 0,
        (struct embedding_parts){.is_wide = true, .hidden_layers = 1, .are_shared_out = true});
    CHECK_FAILS(embedding_tables(&of.spec, &of.dataset, 10, tables, &count, &err),
                STATUS_UNSUPPORTED, "an optimizer of the linear model alone");
    embedding_case_close(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_start_where_those_of_one_worker_do),
        cmocka_unit_test(a_gradient_over_pulled_rows_is_that_of_the_whole_network),
        cmocka_unit_test(each_epoch_has_each_row_once_in_an_order_of_its_own),
        cmocka_unit_test(rows_of_data_are_counted_for_each_row_that_they_select),
        cmocka_unit_test(a_gradient_is_its_part_of_the_mean_over_all_lanes),
        cmocka_unit_test(a_batch_without_rows_selects_nothing),
        cmocka_unit_test(it_learns),
        cmocka_unit_test(what_is_collected_is_the_state_of_a_learner_that_has_learned),
        cmocka_unit_test(what_servers_cannot_hold_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
