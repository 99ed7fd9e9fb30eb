#include "scoring/shap_orders.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scoring/kind.h"

struct shap_orders {
    const struct held_rows *held;
    const struct model *model;
    void *workspace; /* the kind's */
    uint32_t inputs, outputs, background;
    uint32_t *order;   /* (background, inputs) */
    uint32_t together; /* rows of walks that are scored together, at most SCORER_ROWS */
    /* Those rows: (together, dense_width), (together, id_count), (together, outputs), and the step
     * that led to each */
    float *dense;
    int32_t *ids;
    float *scores;
    uint32_t steps[SCORER_ROWS], waiting;
    float *known_dense; /* (dense_width): the row as far as it is known, */
    int32_t *known_ids; /* (id_count) */
    double *last;       /* (outputs): before the step */
    uint64_t row_steps; /* nanoseconds, about, of a row, */
    uint64_t since;     /* and since an interruption was last asked for */
    const struct stop *stop;
};

struct drawn {
    uint64_t bits;
    uint32_t input;
};

static int compare_drawn(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;

    if (x->bits != y->bits)
        return x->bits < y->bits ? -1 : 1;
    return (x->input > y->input) - (x->input < y->input);
}

static enum status draw_orders(struct shap_orders *orders, struct error *err)
{
    struct drawn *drawn = calloc(orders->inputs + (size_t)1, sizeof *drawn);

    if (!drawn)
        return fail_no_memory(err);
    for (uint32_t row = 0; row < orders->background; row++) {
        for (uint32_t i = 0; i < orders->inputs; i++)
            drawn[i] = (struct drawn){random_bits(0, RANDOM_SHAP, row, i), i};
        qsort(drawn, orders->inputs, sizeof *drawn, compare_drawn);
        for (uint32_t i = 0; i < orders->inputs; i++)
            orders->order[row * (size_t)orders->inputs + i] = drawn[i].input;
    }
    free(drawn);
    return STATUS_OK;
}

static enum status make_room(struct shap_orders *orders, struct error *err)
{
    const struct transform *transform = &orders->model->transform;

    orders->order = calloc(orders->background * (size_t)orders->inputs + 1, sizeof *orders->order);
    orders->dense = calloc((size_t)orders->together * transform->dense_width + 1, sizeof(float));
    orders->ids = calloc((size_t)orders->together * transform->id_count + 1, sizeof(int32_t));
    orders->scores = calloc((size_t)orders->together * orders->outputs, sizeof(float));
    orders->known_dense = calloc(transform->dense_width + (size_t)1, sizeof(float));
    orders->known_ids = calloc(transform->id_count + (size_t)1, sizeof(int32_t));
    orders->last = calloc(orders->outputs, sizeof(double));
    if (!orders->order || !orders->dense || !orders->ids || !orders->scores ||
        !orders->known_dense || !orders->known_ids || !orders->last)
        return fail_no_memory(err);
    TRY(draw_orders(orders, err));
    return orders->model->kind->open(orders->model, orders->together, &orders->workspace, err);
}

enum status shap_orders_new(const struct held_rows *held, struct shap_orders **made,
                            struct error *err)
{
    struct shap_orders *orders = calloc(1, sizeof *orders);

    *made = NULL;
    if (!orders)
        return fail_no_memory(err);
    orders->held = held;
    orders->model = held->model;
    orders->inputs = held->model->transform.input_count;
    orders->outputs = model_outputs(held->model);
    orders->background = held->count < SHAP_BACKGROUND ? held->count : SHAP_BACKGROUND;
    orders->together = scorer_rows(held->model, SCORER_ROWS);
    orders->row_steps = (uint64_t)(100 + model_cost(held->model).multiplications);
    if (make_room(orders, err) != STATUS_OK) {
        shap_orders_free(orders);
        return err->status;
    }
    *made = orders;
    return STATUS_OK;
}

void shap_orders_free(struct shap_orders *orders)
{
    if (!orders)
        return;
    if (orders->model->kind->close)
        orders->model->kind->close(orders->workspace);
    free(orders->order);
    free(orders->dense);
    free(orders->ids);
    free(orders->scores);
    free(orders->known_dense);
    free(orders->known_ids);
    free(orders->last);
    free(orders);
}

/* The row of the background, with the offset of the row. */
static void begin_walk(struct shap_orders *orders, uint32_t from, const float *dense)
{
    const struct transform *transform = &orders->model->transform;
    const size_t offset = transform->dense_width - transform->offset_width;

    memcpy(orders->known_dense, held_rows_dense(orders->held, from),
           transform->dense_width * sizeof *dense);
    memcpy(orders->known_ids, held_rows_ids(orders->held, from),
           transform->id_count * sizeof(int32_t));
    memcpy(orders->known_dense + offset, dense + offset, transform->offset_width * sizeof *dense);
}

/* The rows that wait, in their order. */
static enum status score_rows(struct shap_orders *orders, double *values, struct error *err)
{
    TRY(stop_step(orders->stop, orders->waiting * orders->row_steps, &orders->since, err));
    orders->model->kind->score(orders->workspace, orders->dense, orders->ids, orders->waiting,
                               orders->scores);
    for (uint32_t i = 0; i < orders->waiting; i++)
        for (uint32_t output = 0; output < orders->outputs; output++) {
            double *of_output = values + output * (orders->inputs + (size_t)1);
            const double score = (double)orders->scores[i * (size_t)orders->outputs + output];

            of_output[orders->steps[i]] += score;
            if (orders->steps[i] < orders->inputs)
                of_output[orders->steps[i]] -= orders->last[output];
            orders->last[output] = score;
        }
    orders->waiting = 0;
    return STATUS_OK;
}

/* The row as far as it is known waits to be scored; step: the input that became known, or the count
 * of inputs where a walk begins. */
static enum status put_row(struct shap_orders *orders, uint32_t step, double *values,
                           struct error *err)
{
    const struct transform *transform = &orders->model->transform;

    memcpy(orders->dense + (size_t)orders->waiting * transform->dense_width, orders->known_dense,
           transform->dense_width * sizeof(float));
    memcpy(orders->ids + (size_t)orders->waiting * transform->id_count, orders->known_ids,
           transform->id_count * sizeof(int32_t));
    orders->steps[orders->waiting++] = step;
    return orders->waiting == orders->together ? score_rows(orders, values, err) : STATUS_OK;
}

/* From row `from` of the background to the row, in its order or the other way round. */
static enum status walk(struct shap_orders *orders, uint32_t from, bool is_reversed,
                        const float *dense, const int32_t *ids, double *values, struct error *err)
{
    const struct transform *transform = &orders->model->transform;
    const uint32_t *order = orders->order + (size_t)from * orders->inputs;

    begin_walk(orders, from, dense);
    TRY(put_row(orders, orders->inputs, values, err));
    for (uint32_t i = 0; i < orders->inputs; i++) {
        const uint32_t input = order[is_reversed ? orders->inputs - 1 - i : i];

        transform_copy_input(transform, &transform->inputs[input], dense, ids, orders->known_dense,
                             orders->known_ids);
        TRY(put_row(orders, input, values, err));
    }
    return STATUS_OK;
}

enum status shap_orders_row(struct shap_orders *orders, const float *dense, const int32_t *ids,
                            const struct stop *stop, double *values, struct error *err)
{
    const size_t count = orders->outputs * (orders->inputs + (size_t)1);

    memset(values, 0, count * sizeof *values);
    orders->waiting = 0;
    orders->stop = stop;
    for (uint32_t from = 0; from < orders->background; from++) {
        TRY(walk(orders, from, false, dense, ids, values, err));
        TRY(walk(orders, from, true, dense, ids, values, err));
    }
    TRY(score_rows(orders, values, err));
    for (size_t i = 0; i < count; i++)
        values[i] /= 2.0 * orders->background;
    return STATUS_OK;
}
