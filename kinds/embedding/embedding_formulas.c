/* The steps of embedding_score; a text is the sum over its terms. */
#include "kinds/embedding/embedding_formulas.h"

#include "kinds/embedding/embedding_inputs.h"
#include "kinds/embedding/embedding_model.h"
#include "kinds/network/network_formulas.h"

struct parts {
    struct formula_program *program;
    const struct formula_row *row;
    const struct embedding_model *model;
    const struct embedding_shape *shape;
    struct embedding_inputs columns;
    const struct formula **inputs; /* (shape->inputs) */
    const struct formula **top;    /* (shape->top) */
};

static const struct formula **new_list(struct formula_program *program, uint64_t count)
{
    const struct formula **list = (const struct formula **)arena_alloc_array(
        program->arena, (size_t)count + 1, sizeof(struct formula *));

    program->failed |= !list;
    return list;
}

static const struct formula *product(struct formula_program *program, const struct formula *a,
                                     const struct formula *b)
{
    return formula_of(program, FORMULA_MULTIPLY, a, b);
}

/* Array `array` as a layer; has_bias: the next one is its bias. */
static struct layer layer_of(const struct parts *parts, uint32_t array, bool has_bias)
{
    const struct embedding_array *weights = &parts->shape->arrays[array];

    return (struct layer){.rows = (uint32_t)weights->rows,
                          .width = (uint32_t)weights->width,
                          .weights = parts->model->elements[array],
                          .bias = has_bias ? parts->model->elements[array + 1] : NULL};
}

static const struct formula *layer_sum(struct formula_program *program, const struct layer *layer,
                                       uint32_t j, const struct formula *const *x)
{
    struct formula_terms terms;

    formula_terms_init(&terms, program, (size_t)layer->rows + 1);
    network_layer_terms(program, layer, j, x, layer->rows, &terms);
    return formula_let(program, formula_sum(program, terms.items, terms.count));
}

/* ----- inputs ----- */

/* Number `at` of the row of the table that a field's id selects, times the scale. */
static const struct formula *table_number(const struct parts *parts,
                                          const struct embedding_field *field, uint32_t at,
                                          float scale)
{
    struct formula_program *program = parts->program;
    const float *table = parts->model->elements[parts->shape->table] + at;
    double *numbers = ARENA_NEW(program->arena, double, field->rows + 1u);

    program->failed |= !numbers;
    for (uint32_t i = 0; numbers && i < field->rows; i++)
        numbers[i] =
            (double)(scale * table[(size_t)(field->first_row + i) * parts->shape->row_width]);
    return formula_lookup(program, parts->row->ids[field->ids.first], numbers, field->rows);
}

static void fill_inputs(struct parts *parts)
{
    struct formula_program *program = parts->program;

    for (uint32_t f = 0; f < parts->columns.field_count; f++) {
        const struct embedding_field *field = &parts->columns.fields[f];

        for (uint32_t j = 0; j < field->dimension && !program->failed; j++) {
            const struct formula **place = &parts->inputs[field->place + j];
            const struct formula *number = formula_let(
                program, table_number(parts, field, parts->shape->wide_width + j, field->scale));

            *place = *place ? formula_let(program, formula_add(program, *place, number)) : number;
        }
    }
    for (uint32_t i = 0; i < parts->columns.deep_count; i++)
        parts->inputs[parts->shape->embedded + i] = parts->row->dense[parts->columns.deep[i]];
}

/* ----- parts ----- */

static void fill_hidden(struct parts *parts)
{
    struct formula_program *program = parts->program;
    const struct embedding_shape *shape = parts->shape;
    const struct formula **x = parts->inputs;

    if (shape->hidden == NO_ARRAY)
        return;
    for (uint32_t l = 0; l < shape->hidden_units.count && !program->failed; l++) {
        const struct layer layer = layer_of(parts, shape->hidden + 2 * l, true);
        const struct formula **z = new_list(program, layer.width);

        for (uint32_t j = 0; j < layer.width && !program->failed; j++)
            z[j] = formula_let(program, network_activated(program, shape->activation,
                                                          layer_sum(program, &layer, j, x)));
        x = z;
    }
    for (uint32_t j = 0; j < embedding_last_hidden(shape) && !program->failed; j++)
        parts->top[embedding_top_hidden(shape) + j] = x[j];
}

/* By a vector: inputs * (x w) + b + x; by a matrix: inputs * (x W + b) + x. */
static void fill_cross(struct parts *parts)
{
    struct formula_program *program = parts->program;
    const struct embedding_shape *shape = parts->shape;
    const bool is_matrix = shape->cross_weights == CROSS_MATRIX;
    const struct formula **x = parts->inputs;

    for (uint32_t l = 0; l < shape->cross_layers && !program->failed; l++) {
        const struct layer layer = layer_of(parts, shape->cross + 2 * l, is_matrix);
        const float *bias = parts->model->elements[shape->cross + 2 * l + 1];
        const struct formula **next = new_list(program, shape->inputs), *sum = NULL;
        const struct layer vector = {
            .rows = (uint32_t)shape->inputs, .width = 1, .weights = layer.weights};

        if (!is_matrix)
            sum = layer_sum(program, &vector, 0, x);
        for (uint32_t j = 0; j < shape->inputs && !program->failed; j++) {
            struct formula_terms terms;

            if (is_matrix)
                sum = layer_sum(program, &layer, j, x);
            formula_terms_init(&terms, program, 3);
            formula_terms_add(&terms, product(program, parts->inputs[j], sum));
            if (!is_matrix)
                formula_terms_add(&terms, formula_number(program, (double)bias[j]));
            formula_terms_add(&terms, x[j]);
            next[j] = formula_let(program, formula_sum(program, terms.items, terms.count));
        }
        x = next;
    }
    for (uint32_t j = 0; shape->cross_layers && j < shape->inputs && !program->failed; j++)
        parts->top[embedding_top_interaction(shape) + j] = x[j];
}

/* The maps of a layer, (dimension, units), from those of the one before, (dimension, before). */
static const struct formula **compress(struct parts *parts, const struct layer *layer,
                                       const struct formula *const *maps, uint32_t before)
{
    struct formula_program *program = parts->program;
    const struct embedding_shape *shape = parts->shape;
    const struct formula **next = new_list(program, (uint64_t)shape->dimension * layer->width);
    const struct formula **products = new_list(program, (uint64_t)before * shape->fields);

    for (uint32_t j = 0; j < shape->dimension && !program->failed; j++) {
        for (uint32_t m = 0; m < before; m++)
            for (uint32_t f = 0; f < shape->fields; f++)
                products[m * shape->fields + f] =
                    formula_let(program, product(program, maps[j * before + m],
                                                 parts->inputs[f * shape->dimension + j]));
        for (uint32_t h = 0; h < layer->width; h++)
            next[j * layer->width + h] = layer_sum(program, layer, h, products);
    }
    return next;
}

static void fill_compressed(struct parts *parts)
{
    struct formula_program *program = parts->program;
    const struct embedding_shape *shape = parts->shape;
    const struct formula **maps = new_list(program, (uint64_t)shape->dimension * shape->fields);
    uint32_t before = shape->fields, at = embedding_top_interaction(shape);

    for (uint32_t j = 0; j < shape->dimension && !program->failed; j++)
        for (uint32_t f = 0; f < shape->fields; f++)
            maps[j * before + f] = parts->inputs[f * shape->dimension + j];
    for (uint32_t l = 0; l < shape->cin_units.count && !program->failed; l++) {
        const struct layer layer = layer_of(parts, shape->cin + l, false);

        maps = compress(parts, &layer, maps, before);
        before = layer.width;
        for (uint32_t h = 0; h < before && !program->failed; h++) {
            struct formula_terms terms;

            formula_terms_init(&terms, program, shape->dimension);
            for (uint32_t j = 0; j < shape->dimension; j++)
                formula_terms_add(&terms, maps[j * before + h]);
            parts->top[at++] = formula_let(program, formula_sum(program, terms.items, terms.count));
        }
    }
}

/* The products of all pairs, in one number of the embeddings. */
static const struct formula *pairs_of(const struct parts *parts, uint32_t number)
{
    struct formula_program *program = parts->program;
    const struct embedding_shape *shape = parts->shape;
    struct formula_terms sum, squares;
    const struct formula *all, *twice;

    formula_terms_init(&sum, program, shape->fields);
    formula_terms_init(&squares, program, shape->fields);
    for (uint32_t f = 0; f < shape->fields; f++) {
        const struct formula *one = parts->inputs[f * shape->dimension + number];

        formula_terms_add(&sum, one);
        formula_terms_add(&squares, product(program, one, one));
    }
    all = formula_let(program, formula_sum(program, sum.items, sum.count));
    twice = formula_of(program, FORMULA_SUBTRACT, product(program, all, all),
                       formula_sum(program, squares.items, squares.count));
    return formula_let(program, formula_times(program, twice, 0.5));
}

static void fill_top(struct parts *parts)
{
    const struct embedding_shape *shape = parts->shape;

    for (uint32_t i = 0; shape->is_wide && i < parts->columns.wide_count; i++)
        parts->top[i] = parts->row->dense[parts->columns.wide[i]];
    fill_hidden(parts);
    fill_cross(parts);
    if (shape->cin_units.count > 0)
        fill_compressed(parts);
    for (uint32_t j = 0; j < embedding_pair_columns(shape) && !parts->program->failed; j++)
        parts->top[embedding_top_interaction(shape) + j] = pairs_of(parts, j);
}

/* ----- outputs ----- */

static const struct formula *output_of(struct parts *parts, uint32_t output)
{
    struct formula_program *program = parts->program;
    const struct embedding_shape *shape = parts->shape;
    struct formula_terms terms;

    formula_terms_init(&terms, program,
                       (size_t)shape->top + parts->columns.field_count + shape->dimension + 2);
    if (shape->last == NO_ARRAY) {
        const float *bias = parts->model->elements[shape->array_count - 1];

        formula_terms_add(&terms, formula_number(program, (double)bias[output]));
    } else {
        const struct layer layer = layer_of(parts, shape->last, true);

        network_layer_terms(program, &layer, output, parts->top, layer.rows, &terms);
    }
    for (uint32_t f = 0; f < parts->columns.field_count; f++)
        if (parts->columns.fields[f].is_wide)
            formula_terms_add(&terms, table_number(parts, &parts->columns.fields[f], output, 1));
    for (uint32_t j = 0; shape->interaction == INTERACTION_PAIRS && shape->outputs == 1 &&
                         j < shape->dimension && !program->failed;
         j++)
        formula_terms_add(&terms, pairs_of(parts, j));
    formula_terms_add(&terms, parts->row->offset);
    return formula_sum(program, terms.items, terms.count);
}

enum status embedding_formulas(const struct model *model, struct formula_program *program,
                               const struct formula_row *row, const struct formula **outputs,
                               struct error *err)
{
    struct parts parts = {.program = program, .row = row, .model = embedding_of(model)};

    parts.shape = &parts.model->shape;
    parts.inputs = new_list(program, parts.shape->inputs);
    parts.top = new_list(program, parts.shape->top);
    if (program->failed)
        return fail_no_memory(err);
    TRY(embedding_inputs_init(&parts.columns, &model->transform, parts.shape->is_wide,
                              embedding_params(&parts.model->params)->dimension, err));
    fill_inputs(&parts);
    if (!program->failed)
        fill_top(&parts);
    for (uint32_t i = 0; i < parts.shape->outputs && !program->failed; i++)
        outputs[i] = output_of(&parts, i);
    embedding_inputs_deinit(&parts.columns);
    return program->failed ? fail_no_memory(err) : STATUS_OK;
}
