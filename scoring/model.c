#include "scoring/model.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/heads.h"
#include "scoring/kind.h"
#include "scoring/numbers/elementary.h"
#include "scoring/numbers/matrix.h"
#include "scoring/transform/spread.h"

uint32_t model_outputs(const struct model *model)
{
    return model->kind->outputs(model);
}

void kind_shape_add(struct kind_shape *shape, enum input_type type, double columns,
                    enum model_part part, uint32_t dimension)
{
    struct kind_parts *parts = &shape->parts;
    const bool is_number = type == INPUT_NUMERIC;

    *(is_number ? &shape->dense : &shape->ids) += columns;
    if (part_has_linear(part))
        *(is_number ? &parts->linear_dense : &parts->linear_ids) += columns;
    if (part_has_dnn(part))
        *(is_number ? &parts->dnn_dense : &parts->dnn_ids) += columns;
    parts->sized_ids += dimension > 0;
    parts->sized_numbers += dimension;
    if (dimension > parts->dimension_most)
        parts->dimension_most = dimension;
}

void kind_shape_join(struct kind_shape *shape, enum model_part part)
{
    shape->ids++;
    shape->parts.linear_ids += part_has_linear(part);
}

void kind_shape_append(const struct kind_shape *shape, struct text *text)
{
    const bool has_words = shape->ids > 0;

    text_printf(text, "%.0f %s%s", shape->dense, has_words ? "number" : "input",
                shape->dense == 1 ? "" : "s");
    if (has_words)
        text_printf(text, " and the words of %.0f categor%s", shape->ids,
                    shape->ids > 1 ? "ies" : "y");
}

void kind_shape_take(struct kind_shape *shape, const struct transform *transform)
{
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        shape->counts += input->spec.list.form == LIST_WORDS;
        if (transform_concat_first(transform, input) != input) {
            kind_shape_join(shape, input->spec.model_part);
            continue;
        }
        kind_shape_add(shape, input->spec.type,
                       input->spec.type == INPUT_NUMERIC ? transform_columns_of(transform, input)
                                                         : 1,
                       input->spec.model_part, input->spec.dimension);
    }
    shape->dense = transform->dense_width;
    shape->ids = transform->id_inputs;
    shape->id_rows = transform->id_rows;
}

struct kind_cost model_cost(const struct model *model)
{
    const struct transform *transform = &model->transform;
    struct kind_shape shape = {.task = model->task, .classes = model->labels.count};
    struct kind_params params = {0};

    kind_shape_take(&shape, transform);
    shape.ids = transform->id_count;
    model->kind->params_of(model, &params);
    return model->kind->cost(&params, &shape);
}

static bool is_spread(const struct model *model)
{
    return model->task == TASK_CLUSTERING && model->transform.id_count > 0;
}

uint32_t scorer_rows(const struct model *model, uint32_t rows)
{
    const size_t columns = model->transform.dense_width + model->transform.id_count +
                           (size_t)model_outputs(model) +
                           (is_spread(model) ? spread_width(&model->transform) : 0);
    const size_t workspace = model->kind->row_bytes ? model->kind->row_bytes(model) : 0;
    const double by_bytes = (double)(SCORER_BYTES / (columns * sizeof(float) + workspace));
    const double by_work = SCORER_WORK / fmax(model->multiplications, 1);
    const double most = fmin(fmin(by_bytes, by_work), rows);

    return most < 1 ? 1 : (uint32_t)most;
}

static enum status init_rows(struct scorer *scorer, struct error *err)
{
    const struct model *model = scorer->model;
    const size_t rows = scorer->rows_max;

    scorer->dense = matrix_new(rows, model->transform.dense_width, sizeof *scorer->dense);
    scorer->ids = matrix_new(rows, model->transform.id_count, sizeof *scorer->ids);
    scorer->results = matrix_new(rows, model_outputs(model), sizeof *scorer->results);
    scorer->calibrated = calloc(model_outputs(model), sizeof *scorer->calibrated);
    if (is_spread(model))
        scorer->spread = matrix_new(rows, spread_width(&model->transform), sizeof *scorer->spread);
    scorer->selected = scorer->dense;
    scorer->selected_ids = scorer->ids;
    scorer->outputs = scorer->results;
    if (scorer->dense && scorer->ids && scorer->results && scorer->calibrated &&
        (scorer->spread || !is_spread(model)))
        return STATUS_OK;
    return fail_no_memory(err);
}

enum status scorer_init(struct scorer *scorer, const struct model *model, uint32_t rows,
                        struct error *err)
{
    enum status status;

    assert(rows > 0);
    *scorer = (struct scorer){.model = model, .rows_max = scorer_rows(model, rows)};
    status = model->kind->open(model, scorer->rows_max, &scorer->workspace, err);
    if (status == STATUS_OK)
        status = init_rows(scorer, err);
    if (status == STATUS_OK && model->head_count > 0)
        status = head_views_new(model, &scorer->heads, err);
    if (status != STATUS_OK)
        scorer_deinit(scorer);
    return status;
}

void scorer_deinit(struct scorer *scorer)
{
    if (scorer->model && scorer->model->kind->close)
        scorer->model->kind->close(scorer->workspace);
    free(scorer->dense);
    free(scorer->ids);
    free(scorer->results);
    free(scorer->calibrated);
    free(scorer->spread);
    head_views_free(scorer->heads);
    *scorer = (struct scorer){0};
}

enum status scorer_transform(struct scorer *scorer, uint32_t i, const struct cell *cells,
                             struct error *err)
{
    const struct transform *transform = &scorer->model->transform;
    const struct kind *kind = scorer->model->kind;
    float *dense = scorer->dense + (size_t)i * transform->dense_width;
    int32_t *ids = scorer->ids + (size_t)i * transform->id_count;

    assert(i < scorer->rows_max);
    TRY(transform_row(transform, cells, dense, ids, err));
    return kind->check_row ? kind->check_row(scorer->workspace, dense, ids, err) : STATUS_OK;
}

enum status scorer_check_number(const struct scorer *scorer, uint32_t i, uint64_t row,
                                struct error *err)
{
    const struct transform *transform = &scorer->model->transform;
    const struct kind *kind = scorer->model->kind;

    if (!kind->has_number ||
        kind->has_number(scorer->workspace, scorer->dense + (size_t)i * transform->dense_width,
                         scorer->ids + (size_t)i * transform->id_count))
        return STATUS_OK;
    fail(err, STATUS_INVALID, "row %llu: the model has no number for it", (unsigned long long)row);
    return error_hint(err, "A forecast has numbers for the series that it was trained on, and for "
                           "the steps behind their last times; evaluate.bad_rows = 'skip' leaves "
                           "out other rows.");
}

void scorer_score(struct scorer *scorer, uint32_t count)
{
    assert(count <= scorer->rows_max);
    if (count > 0)
        scorer->model->kind->score(scorer->workspace, scorer->dense, scorer->ids, count,
                                   scorer->results);
    scorer_select(scorer, 0);
}

void scorer_select(struct scorer *scorer, uint32_t i)
{
    assert(i < scorer->rows_max);
    scorer->selected = scorer->dense + (size_t)i * scorer->model->transform.dense_width;
    scorer->selected_ids = scorer->ids + (size_t)i * scorer->model->transform.id_count;
    scorer->outputs = scorer->results + (size_t)i * model_outputs(scorer->model);
}

void scorer_score_row(struct scorer *scorer, const float *dense, const int32_t *ids)
{
    scorer->model->kind->score(scorer->workspace, dense, ids, 1, scorer->results);
    scorer_select(scorer, 0);
    scorer->selected = dense;
    scorer->selected_ids = ids;
}

void scorer_leaves(const struct scorer *scorer, uint32_t *leaves)
{
    scorer->model->kind->leaves(scorer->workspace, scorer->selected, scorer->selected_ids, leaves);
}

static bool is_positive(const struct scorer *scorer, double threshold)
{
    double probabilities[2];

    scorer_probabilities(scorer, probabilities);
    return probabilities[model_positive(scorer->model)] >= threshold;
}

static uint32_t class_of_two(const struct scorer *scorer)
{
    const struct model *model = scorer->model;
    double probabilities[2];

    if (scorer->has_threshold || model->final.has_threshold)
        return is_positive(scorer,
                           scorer->has_threshold ? scorer->threshold : model->final.threshold) ==
               (model_positive(model) == 1);
    if (model->final.calibration == CALIBRATION_NONE)
        return scorer->outputs[0] > 0;
    scorer_probabilities(scorer, probabilities);
    return probabilities[1] > probabilities[0];
}

static uint32_t greatest_output(const struct scorer *scorer, uint32_t outputs)
{
    uint32_t best = 0;

    for (uint32_t j = 1; j < outputs; j++)
        if (scorer->outputs[j] > scorer->outputs[best])
            best = j;
    return best;
}

uint32_t scorer_class(const struct scorer *scorer)
{
    const uint32_t outputs = model_outputs(scorer->model);
    uint32_t best = 0;

    if (outputs == 1)
        return class_of_two(scorer);
    if (scorer->model->final.calibration == CALIBRATION_NONE)
        return greatest_output(scorer, outputs);
    scorer_probabilities(scorer, scorer->calibrated);
    for (uint32_t j = 1; j < outputs; j++)
        if (scorer->calibrated[j] > scorer->calibrated[best])
            best = j;
    return best;
}

double scorer_number(const struct scorer *scorer, uint32_t i)
{
    const struct model *model = scorer->model;
    const uint32_t parts = model->kind->output_parts;
    const uint32_t count = parts ? model_outputs(model) / parts : 0;
    double z = 0;

    for (uint32_t part = parts; part-- > 1;)
        z += (double)scorer->outputs[part * count + i];
    z += (double)scorer->outputs[i];
    if (model->link == LABEL_LINK_EXP)
        z = exponential_double(z);
    return z * model->label_scale + model->label_mean;
}

double scorer_value(const struct scorer *scorer)
{
    return scorer_number(scorer, aim_prediction(&scorer->model->aim));
}

struct cell scorer_number_cell(const struct scorer *scorer, uint32_t i)
{
    const double number = scorer_number(scorer, i);

    if (scorer->model->kind->output_parts && isnan(number))
        return (struct cell){.type = CELL_NULL};
    return (struct cell){.type = CELL_REAL, .real = number};
}

static void calibrated_probabilities(const struct scorer *scorer, uint32_t outputs,
                                     double *probabilities)
{
    const struct final_step *final = &scorer->model->final;

    if (outputs > 1) {
        final_step_calibrate(final, scorer->outputs, outputs, probabilities);
        return;
    }
    probabilities[1] =
        calibration_probability(final->calibration, final->maps, (double)scorer->outputs[0]);
    probabilities[0] = 1 - probabilities[1];
}

void scorer_probabilities(const struct scorer *scorer, double *probabilities)
{
    const uint32_t outputs = model_outputs(scorer->model);
    const float *z = scorer->outputs;
    double greatest, sum = 0;

    if (scorer->model->final.calibration != CALIBRATION_NONE) {
        calibrated_probabilities(scorer, outputs, probabilities);
        return;
    }
    if (outputs == 1) {
        probabilities[0] = 1 / (1 + exponential_double((double)z[0]));
        probabilities[1] = 1 / (1 + exponential_double(-(double)z[0]));
        return;
    }
    greatest = (double)z[greatest_output(scorer, outputs)];
    for (uint32_t j = 0; j < outputs; j++)
        sum += probabilities[j] = exponential_double((double)z[j] - greatest);
    for (uint32_t j = 0; j < outputs; j++)
        probabilities[j] /= sum;
}

uint32_t scorer_cluster(const struct scorer *scorer)
{
    const uint32_t outputs = model_outputs(scorer->model);
    uint32_t nearest = 0;

    for (uint32_t j = 1; j < outputs; j++)
        if (scorer->outputs[j] < scorer->outputs[nearest])
            nearest = j;
    return nearest;
}

double scorer_component(const struct scorer *scorer, uint32_t i)
{
    return (double)scorer->outputs[i];
}

double scorer_distance(const struct scorer *scorer)
{
    const struct model *model = scorer->model;
    const uint32_t output = model->task == TASK_PROJECTION   ? model->components
                            : model->task == TASK_CLUSTERING ? scorer_cluster(scorer)
                                                             : 0;

    return (double)scorer->outputs[output];
}

struct cell scorer_prediction(const struct scorer *scorer)
{
    switch (scorer->model->task) {
    case TASK_CLASSIFICATION:
        return scorer->model->labels.values[scorer_class(scorer)];
    case TASK_CLUSTERING:
        return (struct cell){.type = CELL_INTEGER, .integer = scorer_cluster(scorer)};
    case TASK_PROJECTION:
        return (struct cell){.type = CELL_REAL, .real = scorer_component(scorer, 0)};
    case TASK_DETECTION:
        return (struct cell){.type = CELL_INTEGER, .integer = scorer->outputs[0] > 0 ? 1 : -1};
    case TASK_REGRESSION:
        break;
    }
    return scorer_number_cell(scorer, aim_prediction(&scorer->model->aim));
}
