#include "kinds/embedding/embedding_attributes.h"

#include "kinds/embedding/embedding_shape.h"
#include "kinds/network/network_optimizer.h"
#include "params/attribute_rows.h"

_Static_assert(sizeof(struct embedding_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

const char *const interaction_words[] = {"none", "pairs", "cross", "compressed", NULL};
const char *const cross_weights_words[] = {"vector", "matrix", NULL};
#define X(name, word) word,
const char *const linear_optimizer_words[] = {"auto", OPTIMIZER_MAP(X) NULL};
#undef X

ATTRIBUTE_TABLE(embedding_attributes, struct embedding_params, EMBEDDING_ATTRIBUTES)

/* Which interaction looks at an attribute; what is not here, all. */
static const struct {
    const char *attribute;
    enum interaction interaction;
} uses[] = {
    {"model.cross_layers", INTERACTION_CROSS},
    {"model.cross_parameterization", INTERACTION_CROSS},
    {"model.cin_layer_size", INTERACTION_COMPRESSED},
};

/* Which rules of the linear model look at an attribute of its own. */
static const struct {
    const char *attribute;
    unsigned optimizers; /* bits */
    const char *of;
} linear_uses[] = {
    {"linear_optimizer.learning_rate", ~0u, NULL},
    {"linear_optimizer.initial_accumulator_value", 1u << OPTIMIZER_ADAGRAD | 1u << OPTIMIZER_FTRL,
     "Adagrad and FTRL"},
    {"linear_optimizer.l1_regularization_strength", 1u << OPTIMIZER_FTRL, "FTRL"},
    {"linear_optimizer.l2_regularization_strength", 1u << OPTIMIZER_FTRL, "FTRL"},
};

/* False: it is none of the linear model's. */
static bool is_of_linear(const struct embedding_params *params, struct slice name, bool *is_used)
{
    if (slice_is(name, "model.linear_optimizer")) {
        *is_used = params->is_wide;
        return true;
    }
    for (size_t i = 0; i < sizeof linear_uses / sizeof *linear_uses; i++)
        if (slice_is(name, linear_uses[i].attribute)) {
            *is_used = embedding_has_linear_optimizer(params) &&
                       (linear_uses[i].optimizers >> embedding_linear_optimizer(params) & 1);
            return true;
        }
    return false;
}

bool embedding_uses(const struct kind_params *params, const struct attribute *attribute)
{
    bool is_used;

    if (is_of_linear(embedding_params(params), slice_of(attribute->name), &is_used))
        return is_used;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (slice_is(slice_of(attribute->name), uses[i].attribute))
            return uses[i].interaction == embedding_params(params)->interaction;
    return network_uses(params, attribute);
}

static enum status check_linear(const struct embedding_params *params, const char *attribute,
                                unsigned optimizers, const char *of,
                                const struct kind_settings *settings, struct error *err)
{
    struct slice spelled;
    int position;

    if (!settings->find(settings->context, attribute, &spelled, &position))
        return STATUS_OK;
    if (!params->is_wide) {
        fail_at(err, STATUS_INVALID, position,
                "attribute \"%.*s\" has no use without a linear model", SLICE_FORMAT(spelled));
        return error_hint(err, "model.wide = true adds one.");
    }
    if (optimizers >> embedding_linear_optimizer(params) & 1)
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position, "attribute \"%.*s\" has no use with the optimizer %s",
            SLICE_FORMAT(spelled), optimizer_words[embedding_linear_optimizer(params)]);
    return error_hint(err, "It belongs to %s, as model.linear_optimizer.", of);
}

static enum status settle_linear(struct embedding_params *params,
                                 const struct kind_settings *settings, struct error *err)
{
    TRY(check_linear(params, "model.linear_optimizer", ~0u, "", settings, err));
    for (size_t i = 0; i < sizeof linear_uses / sizeof *linear_uses; i++)
        TRY(check_linear(params, linear_uses[i].attribute, linear_uses[i].optimizers,
                         linear_uses[i].of, settings, err));
    if (embedding_has_linear_optimizer(params) && params->linear_rate == 0)
        params->linear_rate =
            embedding_linear_optimizer(params) == params->optimizer
                ? params->learning_rate
                : network_automatic_rate(embedding_linear_optimizer(params), &(struct counts){0});
    return STATUS_OK;
}

enum status embedding_settle(struct kind_params *params, const struct kind_settings *settings,
                             struct error *err)
{
    struct embedding_params *embedding = embedding_params(params);
    struct slice spelled;
    int position;

    TRY(network_settle(params, settings, err));
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (uses[i].interaction != embedding->interaction &&
            settings->find(settings->context, uses[i].attribute, &spelled, &position)) {
            fail_at(err, STATUS_INVALID, position,
                    "attribute \"%.*s\" has no use with the interaction %s", SLICE_FORMAT(spelled),
                    interaction_words[embedding->interaction]);
            return error_hint(err, "It belongs to model.interaction = '%s'.",
                              interaction_words[uses[i].interaction]);
        }
    TRY(settle_linear(embedding, settings, err));
    if (embedding->interaction != INTERACTION_CROSS)
        embedding->cross_layers = 0;
    if (embedding->interaction != INTERACTION_COMPRESSED)
        embedding->cin_units.count = 0;
    if (embedding->activation == NETWORK_ACTIVATION_AUTOMATIC) /* their tables are large */
        embedding->activation = NETWORK_ACTIVATION_RELU;
    return STATUS_OK;
}

/* An embedding is found by what its numbers are to each other: a penalty that holds weights ends it
 * before it begins. With AdamW and FTRL, too: their own penalties are no substitute for it.
 * docs/clicks.md has what was measured. Factors alone, without hidden layers, want more. */
struct kind_length embedding_length(const struct kind_params *params, enum task task)
{
    struct kind_length length = network_length(params, task);

    length.l2 = embedding_params(params)->hidden_units.count > 0 ? 2 : 4;
    return length;
}

static struct embedding_shape shape_for(const struct kind_params *params,
                                        const struct kind_shape *of)
{
    struct embedding_shape shape = embedding_shape_of(params);
    struct error ignored;

    shape.dense = (uint32_t)of->parts.dnn_dense;
    shape.wide_dense = (uint32_t)of->parts.linear_dense;
    shape.fields = (uint32_t)of->parts.dnn_ids;
    shape.wide_fields = (uint32_t)of->parts.linear_ids;
    shape.embedded = (uint32_t)((of->parts.dnn_ids - of->parts.sized_ids) * shape.dimension +
                                of->parts.sized_numbers);
    if (of->parts.dimension_most > shape.dimension ||
        (of->parts.sized_ids > 0 && of->parts.sized_ids >= of->parts.dnn_ids))
        shape.dimension = of->parts.dimension_most;
    shape.id_rows = (uint64_t)of->id_rows;
    shape.outputs = of->task == TASK_CLASSIFICATION && of->classes > 2 ? of->classes : 1;
    embedding_shape_finish(&shape, &ignored); /* the numbers tell if it is too large */
    return shape;
}

enum status embedding_check_inputs(const struct kind_params *params, const struct kind_shape *of,
                                   struct error *err)
{
    const struct embedding_shape shape = shape_for(params, of);

    return embedding_shape_check(&shape, err);
}

/* Multiplications for each row of data: the layers, and the embeddings, which are looked up. */
static double multiplications_of(const struct embedding_shape *shape)
{
    double sum = (double)shape->embedded;

    for (uint32_t i = 0; i < shape->array_count; i++) {
        const double elements = (double)(shape->arrays[i].rows * shape->arrays[i].width);
        const bool is_compressed = shape->cin != NO_ARRAY && i >= shape->cin && i < shape->last;

        if (i != shape->table && !shape->arrays[i].is_bias)
            sum += elements * (is_compressed ? shape->dimension : 1);
    }
    return sum;
}

/* Floats that the linear model's rule keeps. */
static uint32_t embedding_slots_least(const struct kind_params *params)
{
    const struct embedding_params *embedding = embedding_params(params);

    return embedding_has_linear_optimizer(embedding)
               ? optimizer_slots(embedding_linear_optimizer(embedding), false, false)
               : 0;
}

/* Norms go into a copy of all weights behind the first hidden layer
 * (runtime/learn/layers/hidden_norms.h). */
static double copied_parameters(const struct embedding_shape *shape)
{
    double sum = 0;

    if (shape->norms == 0 || shape->hidden == NO_ARRAY)
        return 0;
    for (uint32_t i = embedding_behind_first(shape); i < shape->array_count; i++)
        sum += (double)(shape->arrays[i].rows * shape->arrays[i].width);
    return sum;
}

struct kind_cost embedding_cost(const struct kind_params *params, const struct kind_shape *of)
{
    const struct embedding_shape shape = shape_for(params, of);
    struct kind_cost cost = {.parameters = (double)(shape.parameters + shape.norms),
                             .multiplications = multiplications_of(&shape)};

    network_cost_learning(network_params(params), of->id_rows, embedding_slots_least(params),
                          &cost);
    cost.bytes += copied_parameters(&shape) * sizeof(float);
    return cost;
}

static void append_layers(const struct counts *layers, const char *what, struct text *detail)
{
    for (uint32_t i = 0; i < layers->count; i++)
        text_printf(detail, ", %u %s", layers->items[i], what);
}

static void append_interaction(const struct embedding_shape *shape, struct text *detail)
{
    if (shape->interaction == INTERACTION_PAIRS)
        text_append_string(detail, "; products of all pairs of embeddings");
    else if (shape->interaction == INTERACTION_CROSS)
        text_printf(detail, "; %u cross layers by a %s", shape->cross_layers,
                    cross_weights_words[shape->cross_weights]);
    append_layers(&shape->cin_units, "compressed interactions", detail);
}

static void append_linear(const struct embedding_shape *shape, const struct kind_shape *of,
                          struct text *detail)
{
    if (!shape->is_wide || shape->wide_dense + shape->wide_fields == 0)
        return;
    text_append_string(detail, "; a linear model beside them");
    if (of->parts.linear_dense < of->dense || of->parts.linear_ids < of->ids ||
        of->parts.dnn_dense < of->dense || of->parts.dnn_ids < of->ids)
        text_printf(detail, " of %u number%s and %u categor%s", shape->wide_dense,
                    shape->wide_dense == 1 ? "" : "s", shape->wide_fields,
                    shape->wide_fields == 1 ? "y" : "ies");
}

void embedding_explain(const struct kind_params *params, const struct kind_shape *of,
                       struct text *detail)
{
    const struct embedding_shape shape = shape_for(params, of);

    text_printf(detail, "%u number%s, %u embedding%s of %s%u", shape.dense,
                shape.dense == 1 ? "" : "s", shape.fields, shape.fields == 1 ? "" : "s",
                shape.embedded < shape.fields * shape.dimension ? "up to " : "", shape.dimension);
    append_layers(&shape.hidden_units, activation_words[shape.activation], detail);
    append_interaction(&shape, detail);
    append_linear(&shape, of, detail);
    if (of->task == TASK_REGRESSION)
        text_append_string(detail, "; 1 output");
    else if (of->classes > 0)
        text_printf(detail, "; at most %u classes", of->classes);
    else
        text_append_string(detail, "; as many classes as the data has");
}
