#include "kinds/kmeans/kmeans_kind.h"

#include <math.h>

#include "kinds/kmeans/kmeans_formulas.h"
#include "params/attribute_rows.h"
#include "scoring/transform/spread.h"

_Static_assert(sizeof(struct kmeans_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

/* ---- statements ---- */

ATTRIBUTE_TABLE(kmeans_attributes, struct kmeans_params, KMEANS_ATTRIBUTES)

/* Passes over the rows in a run, with those that choose where centers begin: 30 to 130 were seen.
 * And how many multiplications of a network take as long as a row of a pass, and as a center's
 * distance in one input. */
#define USUAL_PASSES             90
#define ROW_MULTIPLICATIONS      850
#define DISTANCE_MULTIPLICATIONS 17

/* The memory of runtime/learn/clusters/kmeans.c: the centers and the best ones, both again in a
 * state that is taken; rows and sums of each cluster, and their totals; the place of each row in
 * the order and its distance to the nearest center. */
static struct kind_cost cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const struct kmeans_params *kmeans = kmeans_params(params);
    const double clusters = kmeans->clusters;
    const double floats = clusters * (shape->dense + shape->id_rows);
    const double passes = fmin(USUAL_PASSES, clusters + kmeans->iterations) * kmeans->runs;

    return (struct kind_cost){
        .parameters = floats,
        .multiplications = floats,
        .bytes = floats * (4 * sizeof(float) + sizeof(double)) +
                 (clusters + floats) * 2 * sizeof(int64_t),
        .row_bytes = sizeof(uint32_t) + sizeof(uint64_t),
        .learning = passes * floats,
        .row_learning = passes * (ROW_MULTIPLICATIONS + floats * DISTANCE_MULTIPLICATIONS),
    };
}

static void explain(const struct kind_params *params, const struct kind_shape *shape,
                    struct text *detail)
{
    const struct kmeans_params *kmeans = kmeans_params(params);

    text_printf(detail, "%u of ", kmeans->clusters);
    kind_shape_append(shape, detail);
    text_printf(detail, ", the best of %u run%s of at most %u iterations", kmeans->runs,
                kmeans->runs == 1 ? "" : "s", kmeans->iterations);
}

/* ---- stored models ---- */

static const struct kmeans_model *kmeans_of(const struct model *model)
{
    return model->content;
}

static void write_content(const struct model *model, cJSON *object)
{
    json_add_integer(object, "clusters", kmeans_of(model)->clusters);
}

static enum status read_content(const cJSON *object, struct arena *arena, struct model *model,
                                struct error *err)
{
    struct kmeans_model *kmeans = ARENA_NEW(arena, struct kmeans_model, 1);
    const struct transform_size size = transform_size_of(&model->transform);
    int64_t clusters;
    uint64_t width;

    if (!kmeans)
        return fail_no_memory(err);
    model->content = kmeans;
    if (model->task != TASK_CLUSTERING)
        return fail(err, STATUS_CORRUPT, "model: kmeans does no %s", task_words[model->task]);
    TRY(json_get_integer(object, "clusters", 1, KMEANS_CLUSTERS_MAX, &clusters, err));
    kmeans->clusters = (uint32_t)clusters;
    for (uint32_t i = 0; i < model->transform.input_count; i++)
        if (model->transform.inputs[i].spec.type == INPUT_TEXT)
            return fail(err, STATUS_CORRUPT, "model: kmeans with an input that is a text");
    width = size.dense + size.id_rows; /* spread_width, of a transform that is not finished */
    if (width == 0)
        return fail(err, STATUS_CORRUPT, "model: kmeans without inputs");
    if (kmeans->clusters * width > MODEL_PARAMETERS_MAX)
        return fail(err, STATUS_CORRUPT, "model: more than %llu parameters",
                    (unsigned long long)MODEL_PARAMETERS_MAX);
    kmeans->width = (uint32_t)width;
    return STATUS_OK;
}

static bool number_of(const struct model *model, uint32_t i, uint64_t *number)
{
    *number = kmeans_of(model)->clusters;
    return i < 1;
}

static bool array_of(const struct model *model, uint32_t i, struct model_array *array)
{
    struct kmeans_model *kmeans = (struct kmeans_model *)(uintptr_t)model->content;

    *array = (struct model_array){.name = "centers",
                                  .rows = kmeans->clusters,
                                  .width = kmeans->width,
                                  .has_known_shape = true,
                                  .elements = &kmeans->centers};
    return i < 1;
}

static void params_of(const struct model *model, struct kind_params *params)
{
    kmeans_params(params)->clusters = kmeans_of(model)->clusters;
}

/* ---- scoring ---- */

static uint32_t outputs_of(const struct model *model)
{
    return kmeans_of(model)->clusters;
}

static enum status open_workspace(const struct model *model, uint32_t rows_max, void **workspace,
                                  struct error *err)
{
    (void)rows_max;
    (void)err;
    *workspace = (void *)(uintptr_t)model; /* nothing besides */
    return STATUS_OK;
}

/* The squared distance of the words of a row to a center's: as if the row was spread. */
static double words_square(const struct transform *transform, const int32_t *ids,
                           const float *center)
{
    double sum = 0;

    for (uint32_t j = 0; j < transform->id_rows; j++)
        sum += (double)center[j] * (double)center[j];
    for (uint32_t i = 0; i < transform->id_count; i++)
        if (ids[i] >= 0)
            sum += (double)SPREAD_WORD * ((double)SPREAD_WORD - 2 * (double)center[ids[i]]);
    return sum > 0 ? sum : 0;
}

static void score(void *workspace, const float *dense, const int32_t *ids, uint32_t count,
                  float *outputs)
{
    const struct model *model = workspace;
    const struct kmeans_model *kmeans = kmeans_of(model);
    const struct transform *transform = &model->transform;
    const uint32_t numbers = transform->dense_width;

    for (uint32_t row = 0; row < count; row++, dense += numbers, ids += transform->id_count) {
        const float *center = kmeans->centers;

        for (uint32_t c = 0; c < kmeans->clusters; c++, center += kmeans->width) {
            double sum = 0;

            for (uint32_t j = 0; j < numbers; j++) {
                const double difference = (double)dense[j] - (double)center[j];

                sum += difference * difference;
            }
            if (transform->id_rows > 0)
                sum += words_square(transform, ids, center + numbers);
            *outputs++ = (float)sqrt(sum);
        }
    }
}

static enum far_values far_values_of(const struct kind_params *params)
{
    (void)params;
    return FAR_TOLD;
}

const struct kind kmeans_kind = {
    .name = "kmeans",
    .attributes = &kmeans_attributes,
    .sections = (const char *const[]){NULL},
    .without = (const char *const[]){"train.batch_size", "train.epoch", "train.max_steps",
                                     "train.max_seconds", "train.shuffle", "train.early_stopping",
                                     "train.sample_weight", "train.label_upper_bound",
                                     "train.group", NULL},
    .spreads_words = true,
    .takes_no_texts = true,
    .is_shift_free = true,
    .cost = cost,
    .far_values = far_values_of,
    .size_attribute = "model.n_clusters",
    .size_hint = "Centers, those of a state that is taken, and sums are counted; lower "
                 "model.n_clusters.",
    .held = "parameters and their sums",
    .explained = "clusters",
    .explain = explain,
    .write_content = write_content,
    .read_content = read_content,
    .number = number_of,
    .array = array_of,
    .params_of = params_of,
    .outputs = outputs_of,
    .open = open_workspace,
    .score = score,
    .formulas = kmeans_formulas,
};
