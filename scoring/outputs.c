#include "scoring/outputs.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "inputs/cells/cells.h"
#include "scoring/heads.h"
#include "scoring/kind.h"
#include "scoring/label_names.h"
#include "scoring/shap.h"

#define X(name, text, function, type) text,
const char *const output_words[] = {OUTPUT_MAP(X) NULL};
#undef X

static const struct {
    const char *function;
    enum output_type type;
} outputs[] = {
#define X(name, text, function, type) {function, type},
    OUTPUT_MAP(X)
#undef X
};

/* The extra outputs of PREDICT: a row is a name that models of a task have. */
static const struct {
    enum task task;
    const char *name;
    enum output output;
} extra_outputs[] = {
    {TASK_CLASSIFICATION, "probability", OUTPUT_PROBABILITY},
    {TASK_CLASSIFICATION, "probabilities", OUTPUT_PROBABILITIES},
    {TASK_CLASSIFICATION, "score", OUTPUT_LOGITS},
    {TASK_CLASSIFICATION, "logits", OUTPUT_LOGITS},
    {TASK_REGRESSION, "score", OUTPUT_PREDICTION},
    {TASK_CLUSTERING, "score", OUTPUT_DISTANCE},
    {TASK_PROJECTION, "score", OUTPUT_DISTANCE},
    {TASK_DETECTION, "score", OUTPUT_DISTANCE},
    {TASK_DETECTION, "leaf", OUTPUT_LEAF},
    {TASK_DETECTION, "shap", OUTPUT_SHAP},
    {TASK_CLASSIFICATION, "points", OUTPUT_POINTS},
    {TASK_CLASSIFICATION, "leaf", OUTPUT_LEAF},
    {TASK_REGRESSION, "quantiles", OUTPUT_QUANTILES},
    {TASK_REGRESSION, "leaf", OUTPUT_LEAF},
    {TASK_CLASSIFICATION, "shap", OUTPUT_SHAP},
    {TASK_REGRESSION, "shap", OUTPUT_SHAP},
};
#define EXTRA_OUTPUTS (sizeof extra_outputs / sizeof *extra_outputs)

const char *output_function(enum output output)
{
    return outputs[output].function;
}

enum output_type output_type(enum output output)
{
    return outputs[output].type;
}

static bool has_output(struct output_facts facts, size_t i)
{
    const enum output output = extra_outputs[i].output;

    if (facts.has_margins && (output == OUTPUT_PROBABILITY || output == OUTPUT_PROBABILITIES))
        return false;
    return extra_outputs[i].task == facts.task && (facts.has_leaves || output != OUTPUT_LEAF) &&
           (facts.has_quantiles || output != OUTPUT_QUANTILES) &&
           (facts.has_shap || output != OUTPUT_SHAP) &&
           (facts.has_points || output != OUTPUT_POINTS);
}

bool extra_output_find(struct output_facts facts, struct slice name, enum output *output)
{
    for (size_t i = 0; i < EXTRA_OUTPUTS; i++) {
        if (!has_output(facts, i) || !slice_is(name, extra_outputs[i].name))
            continue;
        *output = extra_outputs[i].output;
        return true;
    }
    return false;
}

void extra_outputs_append(struct output_facts facts, struct text *out)
{
    size_t count = 0, written = 0;

    for (size_t i = 0; i < EXTRA_OUTPUTS; i++)
        count += has_output(facts, i);
    for (size_t i = 0; i < EXTRA_OUTPUTS; i++) {
        if (!has_output(facts, i))
            continue;
        text_append_separator(out, written++, count);
        text_printf(out, "'%s'", extra_outputs[i].name);
    }
}

enum status output_workspace_init(struct output_workspace *workspace, const struct model *model,
                                  struct error *err)
{
    const size_t leaves = model->kind->leaf_count ? model->kind->leaf_count(model) : 0;

    *workspace = (struct output_workspace){.leaves = NULL};
    text_init(&workspace->json, TEXT_MAXIMUM);
    workspace->probabilities =
        calloc((size_t)model->labels.count + 1, sizeof *workspace->probabilities);
    workspace->leaves = calloc(leaves + 1, sizeof *workspace->leaves);
    return workspace->probabilities && workspace->leaves ? STATUS_OK : fail_no_memory(err);
}

void output_workspace_deinit(struct output_workspace *workspace)
{
    free(workspace->probabilities);
    free(workspace->leaves);
    shap_free(workspace->shap);
    free(workspace->shares);
    text_deinit(&workspace->json);
}

static enum status need_probabilities(const struct model *model, struct error *err)
{
    if (model->link == LABEL_LINK_MARGIN)
        return fail(err, STATUS_INVALID,
                    "a %.*s that is learned by a hinge loss has no probabilities",
                    SLICE_FORMAT(model->estimator)),
               error_hint(err, "totrain_logits returns the score that it decides by.");
    if (model->task == TASK_CLASSIFICATION)
        return STATUS_OK;
    return fail(err, STATUS_INVALID, "a %.*s has no probabilities", SLICE_FORMAT(model->estimator)),
           error_hint(err, "Use totrain_predict.");
}

/* {"setosa":0.98,"versicolor":0.02}: by class, ascending. No class has a zero
 * byte: neither model_meta_write nor json_parse lets one through. */
static enum status append_probabilities(const struct labels *labels,
                                        struct output_workspace *workspace, struct error *err)
{
    cJSON *object = cJSON_CreateObject();
    enum status status;
    struct text name;

    if (!object)
        return fail_no_memory(err);
    text_init(&name, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < labels->count && !name.failed; i++) {
        char buffer[TRANSFORM_WORD_BUFFER];

        text_clear(&name);
        text_append(&name, label_name(labels, i, buffer));
        json_add_real(object, text_string(&name), workspace->probabilities[i]);
    }
    status = name.failed ? fail_no_memory(err) : json_print(object, false, &workspace->json, err);
    text_deinit(&name);
    cJSON_Delete(object);
    return status;
}

/* [0.25,-3] */
static void append_outputs(const struct scorer *scorer, uint32_t count, struct text *json)
{
    text_append_char(json, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            text_append_char(json, ',');
        text_append_real(json, (double)scorer->outputs[i]);
    }
    text_append_char(json, ']');
}

/* [3,12]: of the first tree node 3, of the second node 12 */
static enum status append_leaves(const struct scorer *scorer, struct output_workspace *workspace,
                                 struct error *err)
{
    const struct kind *kind = scorer->model->kind;

    if (!kind->leaves)
        return fail(err, STATUS_INVALID, "a %.*s has no leaves",
                    SLICE_FORMAT(scorer->model->estimator)),
               error_hint(err, "Models of trees have some.");
    scorer_leaves(scorer, workspace->leaves);
    for (uint32_t i = 0; i < kind->leaf_count(scorer->model); i++)
        text_printf(&workspace->json, "%s%u", i ? "," : "[", workspace->leaves[i]);
    text_append_string(&workspace->json, workspace->json.size ? "]" : "[]");
    return STATUS_OK;
}

/* {"0.1":2.5,"0.9":7}: a quantile's name is the shortest that is read as the same number. */
static enum status append_quantiles(const struct scorer *scorer, struct output_workspace *workspace,
                                    struct error *err)
{
    const struct aim_facts *aim = &scorer->model->aim;
    struct text *json = &workspace->json;

    if (aim->quantile_count == 0)
        return fail(err, STATUS_INVALID, "the %.*s has no quantiles",
                    SLICE_FORMAT(scorer->model->estimator)),
               error_hint(err, "Models that are trained with objective = 'reg:quantileerror' have "
                               "some.");
    for (uint32_t i = 0; i < aim->quantile_count; i++) {
        text_append_string(json, i ? ",\"" : "{\"");
        text_append_real(json, aim->quantiles[i]);
        text_append_string(json, "\":");
        text_append_real(json, scorer_number(scorer, i));
    }
    text_append_char(json, '}');
    return STATUS_OK;
}

static enum status explain_row(const struct scorer *scorer, struct output_workspace *workspace,
                               struct error *err)
{
    const struct model *model = scorer->model;
    const size_t count = model_outputs(model) * ((size_t)model->transform.input_count + 1);

    if (!workspace->shap) {
        TRY(shap_new(model, NULL, workspace->stop, &workspace->shap, err));
        workspace->shares = calloc(count, sizeof *workspace->shares);
    }
    if (!workspace->shares)
        return fail_no_memory(err);
    return shap_row(workspace->shap, scorer->selected, scorer->selected_ids, workspace->stop,
                    workspace->shares, err);
}

/* No input has a zero byte in its name. */
static void add_shares(const struct transform *transform, const double *shares, cJSON *object,
                       struct text *name)
{
    for (uint32_t i = 0; i < transform->input_count && !name->failed; i++) {
        if (transform->inputs[i].spec.offset) /* it is in the base */
            continue;
        text_clear(name);
        text_append(name, transform->inputs[i].spec.name);
        json_add_real(object, text_string(name), shares[i]);
    }
    json_add_real(object, "(base)", shares[transform->input_count]);
}

static void name_output(const struct model *model, uint32_t output, struct text *name)
{
    char buffer[TRANSFORM_WORD_BUFFER];

    text_clear(name);
    if (model->task == TASK_CLASSIFICATION)
        text_append(name, label_name(&model->labels, output, buffer));
    else
        text_append_real(name, model->aim.quantiles[output]);
}

/* {"age":0.25,"(base)":-1.5}, or {"red":{"age":0.25,...},...} */
static enum status append_shap(const struct scorer *scorer, struct output_workspace *workspace,
                               struct error *err)
{
    const struct transform *transform = &scorer->model->transform;
    const uint32_t count = model_outputs(scorer->model);
    cJSON *object;
    enum status status;
    struct text name;

    TRY(explain_row(scorer, workspace, err));
    object = cJSON_CreateObject();
    if (!object)
        return fail_no_memory(err);
    text_init(&name, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < count && !name.failed; i++) {
        const double *shares = workspace->shares + i * ((size_t)transform->input_count + 1);
        cJSON *shown = object;

        if (count > 1) {
            name_output(scorer->model, i, &name);
            shown = json_add_object(object, text_string(&name));
        }
        add_shares(transform, shares, shown, &name);
    }
    status = name.failed ? fail_no_memory(err) : json_print(object, false, &workspace->json, err);
    text_deinit(&name);
    cJSON_Delete(object);
    return status;
}

/* {"clicked":"yes","amount":2.5}: by label. No label has a zero byte in its name. */
static enum status append_heads(const struct scorer *scorer, struct text *json, struct error *err)
{
    cJSON *object = cJSON_CreateObject();
    enum status status;
    struct text name;

    if (!object)
        return fail_no_memory(err);
    text_init(&name, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < scorer->model->head_count && !name.failed; i++) {
        const struct cell cell = scorer_head(scorer, i);

        text_clear(&name);
        text_append(&name, head_input(scorer->model, i)->spec.name);
        if (cell.type == CELL_TEXT)
            json_add_string(object, text_string(&name), cell.text);
        else if (cell.type == CELL_INTEGER)
            json_add_integer(object, text_string(&name), cell.integer);
        else
            json_add_real(object, text_string(&name), cell.real);
    }
    status = name.failed ? fail_no_memory(err) : json_print(object, false, json, err);
    text_deinit(&name);
    cJSON_Delete(object);
    return status;
}

static enum status take_text(struct output_workspace *workspace, struct cell *cell,
                             struct error *err)
{
    if (workspace->json.failed)
        return fail_no_memory(err);
    *cell = (struct cell){.type = CELL_TEXT,
                          .text = {text_string(&workspace->json), workspace->json.size}};
    return STATUS_OK;
}

static enum status output_probabilities(const struct scorer *scorer, enum output output,
                                        struct output_workspace *workspace, struct cell *cell,
                                        struct error *err)
{
    const struct labels *labels = &scorer->model->labels;

    TRY(need_probabilities(scorer->model, err));
    scorer_probabilities(scorer, workspace->probabilities);
    if (output == OUTPUT_PROBABILITY) {
        const uint32_t class =
            labels->count == 2 ? model_positive(scorer->model) : scorer_class(scorer);

        *cell = (struct cell){.type = CELL_REAL, .real = workspace->probabilities[class]};
        return STATUS_OK;
    }
    TRY(append_probabilities(labels, workspace, err));
    return take_text(workspace, cell, err);
}

enum status scorer_output(const struct scorer *scorer, enum output output,
                          struct output_workspace *workspace, struct cell *cell, struct error *err)
{
    const struct model *model = scorer->model;

    text_clear(&workspace->json);
    if (output == OUTPUT_PREDICTION && model->head_count > 0) {
        TRY(append_heads(scorer, &workspace->json, err));
        return take_text(workspace, cell, err);
    }
    if (output == OUTPUT_PREDICTION && model->task == TASK_PROJECTION) {
        append_outputs(scorer, model->components, &workspace->json);
        return take_text(workspace, cell, err);
    }
    if (output == OUTPUT_PREDICTION) {
        *cell = scorer_prediction(scorer);
        return STATUS_OK;
    }
    if (output == OUTPUT_DISTANCE) {
        if (task_has_label(model->task))
            return fail(err, STATUS_INVALID, "a %.*s has no distances",
                        SLICE_FORMAT(scorer->model->estimator)),
                   error_hint(err, "Use totrain_predict.");
        *cell = (struct cell){.type = CELL_REAL, .real = scorer_distance(scorer)};
        return STATUS_OK;
    }
    if (output == OUTPUT_LOGITS && !task_has_label(model->task))
        return fail(err, STATUS_INVALID, "a %.*s has no logits",
                    SLICE_FORMAT(scorer->model->estimator)),
               error_hint(err, "Use totrain_distance.");
    if (output == OUTPUT_POINTS) {
        if (!model->kind->points)
            return fail(err, STATUS_INVALID, "a %.*s has no points",
                        SLICE_FORMAT(model->estimator)),
                   error_hint(err, "A ScoreCard has some.");
        *cell = (struct cell){.type = CELL_REAL,
                              .real = model->kind->points(model, scorer->selected_ids)};
        return STATUS_OK;
    }
    if (output == OUTPUT_QUANTILES && isnan(scorer_value(scorer))) {
        *cell = (struct cell){.type = CELL_NULL};
        return STATUS_OK;
    }
    if (output == OUTPUT_QUANTILES) {
        TRY(append_quantiles(scorer, workspace, err));
        return take_text(workspace, cell, err);
    }
    if (output == OUTPUT_LEAF) {
        TRY(append_leaves(scorer, workspace, err));
        return take_text(workspace, cell, err);
    }
    if (output == OUTPUT_SHAP) {
        TRY(append_shap(scorer, workspace, err));
        return take_text(workspace, cell, err);
    }
    if (output != OUTPUT_LOGITS)
        return output_probabilities(scorer, output, workspace, cell, err);
    append_outputs(scorer, model_outputs(model), &workspace->json); /* one for two classes */
    return take_text(workspace, cell, err);
}

enum status scorer_component_output(const struct scorer *scorer, int64_t number, struct cell *cell,
                                    struct error *err)
{
    const uint32_t heads = scorer->model->head_count;
    const uint32_t count = heads > 0 ? heads : scorer->model->components;

    if (count == 0)
        return fail(err, STATUS_INVALID, "a %.*s has no components",
                    SLICE_FORMAT(scorer->model->estimator)),
               error_hint(err, "A PCA has some.");
    if (number < 1 || number > count)
        return fail(err, STATUS_INVALID, "component %lld, where the model has %u",
                    (long long)number, count);
    *cell = heads > 0 ? scorer_head(scorer, (uint32_t)number - 1)
                      : (struct cell){.type = CELL_REAL,
                                      .real = scorer_component(scorer, (uint32_t)number - 1)};
    return STATUS_OK;
}

static enum status check_level(const struct model *model, double level, struct error *err)
{
    if (!model->kind->check_value)
        return fail(err, STATUS_INVALID, "a %.*s forecasts nothing that a value could be beside",
                    SLICE_FORMAT(model->estimator)),
               error_hint(err, "TO TRAIN Forecast makes models that do.");
    if (level >= CHECKED_LEVEL_LEAST && level <= CHECKED_LEVEL_MOST)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "the threshold of anomalies is a probability from %g to %g, not %g",
         CHECKED_LEVEL_LEAST, CHECKED_LEVEL_MOST, level);
    return error_hint(err, "0.95 falsely calls one of twenty ordinary values an anomaly.");
}

enum status scorer_checked_output(const struct scorer *scorer, enum output output,
                                  const struct cell *value, double level, struct cell *cell,
                                  struct error *err)
{
    const struct model *model = scorer->model;
    struct checked_value checked;
    double number = 0;
    bool is_null;

    TRY(check_level(model, level, err));
    TRY(cell_to_number(value, model->labels.reading, model->label, &number, &is_null, err));
    *cell = (struct cell){.type = CELL_NULL};
    if (!model->kind->check_value(model, scorer->selected, scorer->selected_ids,
                                  is_null ? 0 : number, level, &checked))
        return STATUS_OK;
    if (output == OUTPUT_LOWER || output == OUTPUT_UPPER)
        *cell = (struct cell){.type = CELL_REAL,
                              .real = output == OUTPUT_LOWER ? checked.lower : checked.upper};
    else if (!is_null && output == OUTPUT_ANOMALY)
        *cell = (struct cell){.type = CELL_REAL, .real = checked.probability};
    else if (!is_null)
        *cell = (struct cell){.type = CELL_INTEGER, .integer = checked.probability > level};
    return STATUS_OK;
}
