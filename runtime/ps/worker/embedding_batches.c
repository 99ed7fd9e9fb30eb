#include "runtime/ps/worker/embedding_batches.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/reserve.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/learn/layers/lane_gather.h"
#include "runtime/learn/networks/embedding_network.h"
#include "runtime/learn/networks/start.h"
#include "runtime/learners/learners.h"
#include "runtime/train/worker/worker_state.h"

/* ---- tables of the servers ---- */

static enum status check_spec(const struct jobspec *spec, struct error *err)
{
    if (network_params(&spec->params)->batch_norm)
        return fail(err, STATUS_UNSUPPORTED, "model.batch_norm on parameter servers");
    if (embedding_has_linear_optimizer(embedding_params(&spec->params)))
        return fail(err, STATUS_UNSUPPORTED,
                    "an optimizer of the linear model alone on parameter servers");
    return STATUS_OK;
}

static enum status table_of(const struct embedding_shape *shape, uint32_t number,
                            const struct embedding_params *params, struct row_table_options *table,
                            struct error *err)
{
    const struct embedding_array *array = &shape->arrays[number];
    const struct array_start start = embedding_array_start(shape, number);

    if (array->width > ROW_WIDTH_MAX)
        return fail(err, STATUS_LIMIT,
                    "%s: rows of %llu numbers, where parameter servers have %d at most",
                    array->name, (unsigned long long)array->width, ROW_WIDTH_MAX);
    table->number = number;
    table->width = (uint32_t)array->width;
    table->is_bias = array->is_bias;
    table->start = start.limit;
    table->zeros = start.zeros;
    table->zero_rows = start.zero_rows;
    if (number == shape->table) {
        table->is_selected = true;
        table->min_count = params->min_count;
        table->expire_steps = params->expire_steps;
    }
    return STATUS_OK;
}

enum status embedding_tables(const struct jobspec *spec, const struct dataset *dataset,
                             uint64_t steps, struct row_table_options *tables, uint32_t *count,
                             struct error *err)
{
    const struct row_table_options all = {
        .seed = spec->seed,
        .settings = embedding_network_settings(spec, dataset->train.rows),
        .steps = steps,
    };
    struct embedding_network network;
    enum status status;

    *count = 0;
    TRY(check_spec(spec, err));
    status = embedding_network_init(&network, spec, dataset, err);
    for (uint32_t i = 0; status == STATUS_OK && i < network.shape.array_count; i++) {
        tables[i] = all;
        status = table_of(&network.shape, i, embedding_params(&spec->params), &tables[i], err);
        *count += status == STATUS_OK;
    }
    embedding_network_deinit(&network);
    return status;
}

/* ---- life ---- */

/* Rows of the table that a batch can select. */
static uint32_t rows_most(const struct embedding_batches *batches)
{
    const struct transform *transform = &batches->dataset->transform;
    const uint64_t most = (uint64_t)batches->batch_most * transform->id_count;

    return (uint32_t)(most < transform->id_rows ? most : transform->id_rows);
}

static uint64_t dense_rows(const struct embedding_batches *batches)
{
    const struct embedding_shape *shape = &batches->network.shape;
    uint64_t rows = 0;

    for (uint32_t i = 0; i < shape->array_count; i++)
        rows += i == shape->table ? 0 : shape->arrays[i].rows;
    return rows;
}

static enum status make_small(struct embedding_batches *batches, struct error *err)
{
    batches->small = *batches->dataset;
    batches->small.transform.id_rows = rows_most(batches);
    TRY(embedding_network_init(&batches->network, batches->spec, &batches->small, err));
    batches->network.places = &batches->places;
    return embedding_space_init(&batches->space, &batches->network, err);
}

static enum status make_room(struct embedding_batches *batches, struct error *err)
{
    const struct embedding_network *network = &batches->network;
    const uint64_t rows = rows_most(batches) + dense_rows(batches);

    batches->parameters = calloc(network->parameter_count, sizeof *batches->parameters);
    batches->derived = calloc(network->transposed_count + 1ull, sizeof *batches->derived);
    batches->outputs = calloc(network->head.outputs, sizeof *batches->outputs);
    batches->counts = calloc(network->shape.array_count, sizeof *batches->counts);
    batches->widths = calloc(network->shape.array_count, sizeof *batches->widths);
    batches->row_ids = calloc(rows, sizeof *batches->row_ids);
    batches->seen = calloc(rows, sizeof *batches->seen);
    return batches->parameters && batches->derived && batches->outputs && batches->counts &&
                   batches->widths && batches->row_ids && batches->seen
               ? STATUS_OK
               : fail_no_memory(err);
}

/* All shards have as many batches. */
static enum status cut_shards(struct embedding_batches *batches, struct error *err)
{
    const struct dataset_part *train = &batches->dataset->train;
    const uint32_t shards = batches->plan.shards_per_epoch;
    uint64_t most = 0;

    batches->starts = calloc(shards + 1ull, sizeof *batches->starts);
    if (!batches->starts)
        return fail_no_memory(err);
    dataset_share_out(batches->dataset, train, shards, batches->starts);
    for (uint32_t s = 0; s < shards; s++)
        if (batches->starts[s + 1] - batches->starts[s] > most)
            most = batches->starts[s + 1] - batches->starts[s];
    batches->batch_most = (uint32_t)((most + batches->plan.batches - 1) / batches->plan.batches);
    return STATUS_OK;
}

enum status embedding_batches_init(struct embedding_batches *batches, const struct jobspec *spec,
                                   const struct dataset *dataset, const struct shard_plan *plan,
                                   struct team *team, struct error *err)
{
    *batches =
        (struct embedding_batches){.spec = spec, .dataset = dataset, .team = team, .plan = *plan};
    text_init(&batches->collected.front, sizeof(uint32_t) + STATE_FRONT_BYTES_MAX);
    TRY(check_spec(spec, err));
    TRY(cut_shards(batches, err));
    TRY(id_places_make(&batches->places, rows_most(batches), err));
    TRY(make_small(batches, err));
    TRY(make_room(batches, err));
    for (uint32_t i = 0; i < batches->network.shape.array_count; i++)
        batches->widths[i] = (uint32_t)batches->network.shape.arrays[i].width;
    batches->weight_share =
        dataset->train.roles[ROLE_SAMPLE_WEIGHT] ? (float)(1 / dataset->weight_average) : 1;
    start_outputs(&batches->network.head, dataset, batches->outputs);
    return STATUS_OK;
}

static struct open_shard *find_open(const struct embedding_batches *batches, uint64_t shard)
{
    for (uint32_t i = 0; i < batches->open_count; i++)
        if (batches->open[i].shard == shard)
            return batches->open + i;
    return NULL;
}

static void close_shard(void *self, uint64_t shard)
{
    struct embedding_batches *batches = self;
    struct open_shard *open = find_open(batches, shard);

    if (!open)
        return;
    row_store_release(batches->dataset, &batches->dataset->train, open->first,
                      open->first + open->rows);
    free(open->order);
    *open = batches->open[--batches->open_count];
}

static void close_all(struct embedding_batches *batches)
{
    while (batches->open_count > 0)
        close_shard(batches, batches->open[0].shard);
}

static void forget_collected(struct embedding_batches *batches)
{

    if (batches->collected.learner)
        learner_close(batches->collected.learner);
    batches->collected.learner = NULL;
    text_clear(&batches->collected.front);
}

void embedding_batches_deinit(struct embedding_batches *batches)
{
    close_all(batches);
    free(batches->open);
    forget_collected(batches);
    text_deinit(&batches->collected.front);
    embedding_space_deinit(&batches->space);
    embedding_network_deinit(&batches->network);
    id_places_deinit(&batches->places);
    free(batches->starts);
    free(batches->parameters);
    free(batches->derived);
    free(batches->outputs);
    free(batches->counts);
    free(batches->widths);
    free(batches->row_ids);
    free(batches->seen);
    *batches = (struct embedding_batches){0};
}

/* ---- a shard ---- */

/* The same for whoever works on it, and another one in each epoch. */
static void shuffle(const struct embedding_batches *batches, const struct open_shard *open)
{
    uint32_t *order = open->order;

    for (uint32_t i = 0; i < open->rows; i++) {
        const uint32_t other =
            (uint32_t)(random_bits(batches->spec->seed, RANDOM_SHARD, open->shard, i) % (i + 1ull));

        order[i] = order[other];
        order[other] = i;
    }
}

/* The same rows come to another place in each epoch. */
static uint64_t range_of(const struct embedding_batches *batches, uint64_t shard)
{
    return (shard + shard / batches->plan.shards_per_epoch) % batches->plan.shards_per_epoch;
}

static enum status open_shard(void *self, uint64_t shard, uint32_t *count, struct error *err)
{
    struct embedding_batches *batches = self;
    const uint64_t range = range_of(batches, shard);
    struct open_shard open = {.shard = shard,
                              .first = batches->starts[range],
                              .rows = batches->starts[range + 1] - batches->starts[range]};
    void *list = batches->open;
    enum status status;

    forget_collected(batches);
    *count = batches->plan.batches;
    if (find_open(batches, shard))
        return STATUS_OK;
    TRY(reserve_array(&list, &batches->open_room, batches->open_count + 1, sizeof open, err));
    batches->open = list;
    open.order = calloc(open.rows + LANE_ROWS_AHEAD, sizeof *open.order);
    if (!open.order)
        return fail_no_memory(err);
    status = row_store_hold(batches->dataset, &batches->dataset->train, open.first,
                            open.first + open.rows, batches->team, err);
    if (status != STATUS_OK) {
        free(open.order);
        return status;
    }
    shuffle(batches, &open);
    batches->open[batches->open_count++] = open;
    return STATUS_OK;
}

/* ---- a batch ---- */

/* The rows of a shard are dealt to its batches, as evenly as it goes. */
static uint64_t first_of_batch(const struct embedding_batches *batches, uint64_t rows,
                               uint32_t batch)
{
    return rows * batch / batches->plan.batches;
}

/* Rows of data whose mean the optimizer moves weights by: those of all lanes. */
static double rows_of_step(const struct embedding_batches *batches, uint64_t shard, uint32_t batch)
{
    const uint64_t lanes = batches->plan.lanes > 0 ? batches->plan.lanes : 1;
    const uint64_t first = shard / lanes * lanes;
    uint64_t sum = 0;

    for (uint64_t lane = 0; lane < lanes; lane++) {
        const uint64_t range = range_of(batches, batches->plan.lanes > 0 ? first + lane : shard);
        const uint64_t rows = batches->starts[range + 1] - batches->starts[range];

        sum += first_of_batch(batches, rows, batch + 1) - first_of_batch(batches, rows, batch);
    }
    return (double)sum;
}

static struct lane_rows rows_of_batch(const struct embedding_batches *batches,
                                      const struct open_shard *open, uint32_t batch)
{
    const uint64_t first = first_of_batch(batches, open->rows, batch);
    const uint64_t end = first_of_batch(batches, open->rows, batch + 1);
    const struct rows_at at = {open->first, first};

    return (struct lane_rows){.dataset = &batches->small,
                              .part = &batches->small.train,
                              .class_weights = batches->dataset->class_weights,
                              .sample_weights = batches->dataset->train.roles[ROLE_SAMPLE_WEIGHT],
                              .weight_share = batches->weight_share,
                              .order = open->order,
                              .at = at,
                              .expected = at,
                              .count = (uint32_t)(end - first),
                              .step = open->shard * batches->plan.batches + batch,
                              .divisor = rows_of_step(batches, open->shard, batch)};
}

static void select_ids(struct embedding_batches *batches)
{
    const struct lane_rows *rows = &batches->rows;
    const uint32_t ids = batches->network.columns.id_count;

    id_places_clear(&batches->places);
    for (uint32_t i = 0; i < rows->count; i++)
        id_places_select(&batches->places,
                         rows->part->ids + (rows->at.from + rows->order[rows->at.first + i]) * ids,
                         ids);
    id_places_settle(&batches->places);
}

/* ---- when all is learned ---- */

static uint64_t table_rows(const struct embedding_batches *batches)
{
    return batches->network.shape.table == NO_ARRAY ? 0 : batches->dataset->transform.id_rows;
}

static enum status collect(void *self, uint32_t *count, struct error *err)
{
    struct embedding_batches *batches = self;
    const uint64_t rows = table_rows(batches), most = rows_most(batches);

    close_all(batches);
    forget_collected(batches);
    TRY(learning_open(batches->spec, batches->dataset, batches->team, &batches->collected.learner,
                      err));
    batches->collected.batches = rows > 0 ? (uint32_t)((rows - 1) / most + 1) : 1;
    *count = batches->collected.batches;
    return STATUS_OK;
}

/* With the last rows of the table everything else. */
static enum status select_all(struct embedding_batches *batches, uint32_t batch,
                              struct batch_rows *rows)
{
    const struct embedding_shape *shape = &batches->network.shape;
    const uint64_t first = (uint64_t)batch * rows_most(batches), all = table_rows(batches);
    const bool is_last = batch + 1 == batches->collected.batches;
    uint64_t *ids = batches->row_ids;

    batches->collected.batch = batch;
    for (uint32_t i = 0; i < shape->array_count; i++) {
        const bool is_table = i == shape->table;
        const uint64_t end = is_table  ? (is_last ? all : first + rows_most(batches))
                             : is_last ? shape->arrays[i].rows
                                       : 0;

        batches->counts[i] = 0;
        for (uint64_t id = is_table ? first : 0; id < end; id++, batches->counts[i]++)
            *ids++ = id;
    }
    *rows = (struct batch_rows){batches->counts, batches->row_ids, batches->seen};
    return STATUS_OK;
}

/* Where an array begins among the parameters of the whole network: the table comes first. */
static uint64_t place_of(const struct embedding_batches *batches, uint32_t array)
{
    const struct embedding_shape *small = &batches->network.shape;

    if (small->table == NO_ARRAY || array == small->table)
        return batches->network.tensors[array].first;
    return batches->network.tensors[array].first +
           (table_rows(batches) - small->id_rows) * small->row_width;
}

/* The output biases of the servers begin at 0 (embedding_batches.h). */
static void keep_values(struct embedding_batches *batches, const float *values)
{
    struct learner *learner = batches->collected.learner;
    const struct embedding_shape *shape = &batches->network.shape;
    const uint64_t first = (uint64_t)batches->collected.batch * rows_most(batches);

    for (uint32_t i = 0; i < shape->array_count; i++) {
        const uint64_t width = shape->arrays[i].width, count = batches->counts[i] * width;
        const uint64_t place = place_of(batches, i) + (i == shape->table ? first * width : 0);

        learner_take_weights(learner, place, values, count);
        for (uint32_t j = 0; i + 1 == shape->array_count && j < count; j++) {
            const float bias = values[j] + batches->outputs[j];

            learner_take_weights(learner, place + j, &bias, 1);
        }
        values += count;
    }
}

static enum status learned(void *self, struct learned_state *state, struct error *err)
{
    struct embedding_batches *batches = self;
    struct learner *learner = batches->collected.learner;
    const uint64_t rows = batches->plan.rows * batches->plan.epochs;
    const struct phase *phase;

    learner_end_learning(learner);
    text_clear(&batches->collected.front);
    TRY(worker_state_front(learner, rows, &batches->collected.front, err));
    phase = &learner->phase;
    *state = (struct learned_state){.phase = phase->number,
                                    .step = phase->step,
                                    .rows_done = rows,
                                    .bytes = batches->collected.front.size +
                                             learner_state_bytes(learner)};
    return STATUS_OK;
}

static void read_learned(void *self, uint64_t offset, size_t size, char *bytes)
{
    const struct embedding_batches *batches = self;

    worker_state_read(batches->collected.learner, &batches->collected.front, offset, size, bytes);
}

/* Selects the rows of this table that the selection names, and all rows of the other arrays;
 * nothing if no row is selected. */
static enum status select_rows(void *self, uint64_t shard, uint32_t batch, struct batch_rows *rows,
                               struct error *err)
{
    struct embedding_batches *batches = self;
    const struct embedding_shape *shape = &batches->network.shape;
    uint64_t *ids = batches->row_ids;
    uint32_t *seen = batches->seen;

    (void)err;
    if (batches->collected.learner)
        return select_all(batches, batch, rows);
    batches->rows = rows_of_batch(batches, find_open(batches, shard), batch);
    select_ids(batches);
    for (uint32_t i = 0; i < shape->array_count; i++) {
        const bool is_table = i == shape->table;
        const uint32_t count = batches->rows.count == 0 ? 0
                               : is_table               ? batches->places.count
                                                        : (uint32_t)shape->arrays[i].rows;

        batches->counts[i] = count;
        for (uint32_t r = 0; r < count; r++) {
            *ids++ = is_table ? batches->places.ids[r] : r;
            *seen++ = is_table ? batches->places.seen[r] : batches->rows.count;
        }
    }
    *rows = (struct batch_rows){batches->counts, batches->row_ids, batches->seen};
    return STATUS_OK;
}

/* Floats of the table's rows, as they are pulled. */
static size_t table_floats(const struct embedding_batches *batches)
{
    const struct embedding_shape *shape = &batches->network.shape;

    return shape->table == NO_ARRAY ? 0 : (size_t)batches->places.count * shape->row_width;
}

/* Where what is behind the table begins among the parameters. */
static size_t behind_table(const struct embedding_batches *batches)
{
    const struct embedding_shape *shape = &batches->network.shape;

    return shape->table == NO_ARRAY ? 0 : (size_t)shape->id_rows * shape->row_width;
}

static void take_values(struct embedding_batches *batches, const float *values)
{
    const struct embedding_network *network = &batches->network;
    const size_t table = table_floats(batches), behind = behind_table(batches);
    float *bias = batches->parameters + network->last.bias;

    memcpy(batches->parameters, values, table * sizeof *values);
    memcpy(batches->parameters + behind, values + table,
           (network->parameter_count - behind) * sizeof *values);
    for (uint32_t j = 0; j < network->head.outputs; j++)
        bias[j] += batches->outputs[j];
    embedding_network_transpose(network, batches->parameters, batches->derived);
}

/* Touched rows lie in the order in which the rows of data select them. */
static void give_gradient(const struct embedding_batches *batches, const struct lane_gradient *of,
                          float *gradient)
{
    const size_t width = batches->network.shape.row_width, table = table_floats(batches);
    const size_t behind = behind_table(batches);

    for (uint32_t t = 0; t < of->touched_count; t++)
        memcpy(gradient + of->touched[t] * width, of->values + t * width, width * sizeof *gradient);
    memcpy(gradient + table, of->values + behind,
           (batches->network.parameter_count - behind) * sizeof *gradient);
}

static enum status compute(void *self, const float *values, float *gradient, struct error *err)
{
    struct embedding_batches *batches = self;
    struct lane_gradient of;

    (void)err;
    if (batches->collected.learner) {
        keep_values(batches, values);
        return STATUS_OK;
    }
    if (batches->rows.count == 0)
        return STATUS_OK;
    take_values(batches, values);
    of = embedding_network_gradient(&batches->network, batches->parameters, batches->derived,
                                    &batches->rows, &batches->space);
    give_gradient(batches, &of, gradient);
    embedding_network_clear(&batches->network, &batches->space);
    batches->loss.loss += of.loss;
    batches->loss.rows += batches->rows.count;
    return STATUS_OK;
}

static struct batch_loss take_loss(void *self)
{
    struct embedding_batches *batches = self;
    const struct batch_loss loss = batches->loss;

    batches->loss = (struct batch_loss){.rows = 0};
    return loss;
}

struct batch_learning embedding_batches_learning(struct embedding_batches *batches)
{
    return (struct batch_learning){.self = batches,
                                   .plan = batches->plan,
                                   .table_count = batches->network.shape.array_count,
                                   .widths = batches->widths,
                                   .open = open_shard,
                                   .close = close_shard,
                                   .select = select_rows,
                                   .compute = compute,
                                   .take_loss = take_loss,
                                   .collect = collect,
                                   .learned = learned,
                                   .read_learned = read_learned};
}
