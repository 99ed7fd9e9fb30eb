#include "jobspec/jobspec_write.h"

#include "base/json.h"
#include "inputs/cell_list_json.h"
#include "jobspec/job_attributes.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_equal.h"
#include "jobspec/jobspec_read.h"
#include "jobspec/jobspec_scoring.h"
#include "jobspec/jobspec_sections.h"
#include "jobspec/jobspec_words.h"

/* Adding to a NULL object does nothing, and cJSON answers NULL when memory ran
 * out: reading it back at the end finds whatever is missing. */

static void add_word(cJSON *object, const char *name, const char *const *words, unsigned index)
{
    json_add_string(object, name, slice_of(words[index]));
}

static void write_model(const struct jobspec *spec, cJSON *json)
{
    cJSON *model = json_add_object(json, "model");

    json_add_string(model, "name", spec->model_name);
    json_add_string(model, "estimator", spec->estimator);
    json_add_string(model, "family", spec->family);
    add_word(model, "task", task_words, spec->task);
}

static void write_source(const struct input_spec *input, cJSON *json)
{
    cJSON *source = json_add_object(json, "source");

    json_add_string(source, "column", input->source);
    if (input->part)
        add_word(source, "part", date_part_words, input->part);
    if (!input->list.form)
        return;
    cell_list_write(&input->list, source);
    if (cell_list_has_numbers(&input->list))
        json_add_integer(source, "element", input->element);
}

static void write_rule(const struct input_spec *input, cJSON *json)
{
    if (input->rule == RULE_WORDS)
        return;
    add_word(json, "rule", category_rule_words, input->rule);
    if (input->cross)
        json_add(json, "cross", cross_to_json(input->cross));
    if (input->bound_count == 0)
        return;
    json_add_reals(json, "bounds", input->bounds, input->bound_count);
}

static void write_constraints(const struct input_spec *input, cJSON *json)
{
    cJSON *groups;

    if (input->direction != 0)
        add_word(json, "direction", spec_direction_words, input->direction > 0);
    if (input->groups == 0)
        return;
    groups = json_add_array(json, "groups");
    for (uint32_t g = 0; g < INTERACTION_GROUPS_MAX; g++)
        if (input->groups >> g & 1)
            json_append(groups, cJSON_CreateNumber(g));
}

static void write_inputs(const struct jobspec *spec, cJSON *json)
{
    cJSON *inputs = json_add_array(json, "inputs");

    for (size_t i = 0; i < spec->input_count; i++) {
        cJSON *input = cJSON_CreateObject();
        json_add_string(input, "name", spec->inputs[i].name);
        add_word(input, "kind", input_type_words, spec->inputs[i].type);
        json_add_integer(input, "vocabulary_max", spec->inputs[i].vocabulary_max);
        if (spec->inputs[i].type == INPUT_TEXT)
            json_add_integer(input, "words_max", spec->inputs[i].words_max);
        if (spec->inputs[i].model_part)
            add_word(input, "model_part", model_part_words, spec->inputs[i].model_part);
        if (spec->inputs[i].dimension)
            json_add_integer(input, "dimension", spec->inputs[i].dimension);
        if (spec->inputs[i].concat.number)
            json_add(input, "concat", concat_to_json(spec->inputs[i].concat));
        write_rule(&spec->inputs[i], input);
        if (spec->inputs[i].combiner != COMBINER_SQRTN)
            add_word(input, "combiner", combiner_words, spec->inputs[i].combiner);
        if (spec->inputs[i].is_weighted)
            json_add_boolean(input, "weighted", true);
        if (spec->inputs[i].part || spec->inputs[i].source.size > 0)
            write_source(&spec->inputs[i], input);
        if (spec->inputs[i].reading != READING_NUMBER)
            add_word(input, "reading", input_reading_words, spec->inputs[i].reading);
        if (spec->inputs[i].keeps_codes)
            json_add_boolean(input, "keeps_codes", true);
        if (spec->inputs[i].offset)
            add_word(input, "offset", offset_words, spec->inputs[i].offset);
        write_constraints(&spec->inputs[i], input);
        json_append(inputs, input);
    }
}

static void write_label(const struct jobspec *spec, cJSON *json)
{
    cJSON *label = json_add_object(json, "label");

    json_add_string(label, "name", spec->label);
    add_word(label, "type", label_type_words, spec->label_type);
    json_add_string(label, "positive", spec->positive);
    if (spec->label_declared.size > 0)
        json_add_string(label, "declared", spec->label_declared);
    if (spec->label_reading != READING_NUMBER)
        add_word(label, "reading", input_reading_words, spec->label_reading);
    if (spec->class_weights.size > 0)
        json_add_string(label, "weights", spec->class_weights);
    if (spec->threshold.size > 0)
        json_add_string(label, "threshold", spec->threshold);
    if (spec->calibration != CALIBRATION_NONE)
        add_word(label, "calibration", calibration_words, spec->calibration);
}

static void write_roles(const struct jobspec *spec, cJSON *json)
{
    cJSON *roles;

    if (spec->role_count == 0)
        return;
    roles = json_add_array(json, "roles");
    for (size_t i = 0; i < spec->role_count; i++) {
        cJSON *role = cJSON_CreateObject();

        add_word(role, "role", row_role_words, spec->roles[i].role);
        json_add_string(role, "name", spec->roles[i].name);
        json_append(roles, role);
    }
}

/* The attributes of the object, of all kinds and of the spec's own. */
static void write_section(const struct jobspec *spec, const char *section, cJSON *object)
{
    const struct attribute_table *own = spec->kind == SPEC_TRAIN ? kind_of(spec)->attributes : NULL;

    for (size_t i = 0; own && i < own->count; i++)
        if (attribute_is_in(&own->rows[i], section))
            attribute_write(&own->rows[i], spec->params.bytes, object);
    for (size_t i = 0; i < job_attributes.count; i++)
        if (attribute_is_in(&job_attributes.rows[i], section))
            attribute_write(&job_attributes.rows[i], spec, object);
}

static void write_training(const struct jobspec *spec, cJSON *json)
{
    cJSON *training = json_add_object(json, "training");
    cJSON *metrics;

    write_section(spec, "training", training);
    json_add_boolean(training, "has_validation", spec->has_validation);
    json_add_boolean(training, "keeps_best", spec->keeps_best);
    json_add_integer(training, "staged_shards", spec->staged_shards);
    json_add_boolean(training, "has_default_metrics", spec->has_default_metrics);
    add_word(training, "average", average_words, spec->average);
    metrics = json_add_array(training, "metrics");
    for (size_t i = 0; i < spec->metric_count; i++)
        json_append(metrics, json_string(spec->metrics[i]));
}

static void write_learning(const struct jobspec *spec, cJSON *json)
{
    write_inputs(spec, json);
    write_label(spec, json);
    write_roles(spec, json);
    write_section(spec, NULL, json_add_object(json, kind_of(spec)->name));
    write_training(spec, json);
    for (const char *const *section = kind_sections(spec); *section; section++)
        write_section(spec, *section, json_add_object(json, *section));
    if (spec->notices && spec->notices->count > 0)
        json_add(json, "notices", notice_list_to_json(spec->notices));
    if (spec->old_model.size > 0)
        json_add_string(json, "old_model", spec->old_model);
}

static void write_job(const struct jobspec *spec, cJSON *json)
{
    cJSON *job = json_add_object(json, "job");

    write_section(spec, "job", job);
    json_add_integer(job, "lanes_max", spec->lanes_max);
    json_add_string(job, "metrics_host", spec->metrics_host);
    json_add_integer(job, "metrics_port", spec->metrics_port);
    json_add_string(job, "tensorboard", spec->tensorboard);
    json_add_boolean(job, "in_one_process", spec->in_one_process);
}

/* Checks that the written job is valid: a bad spec is found here, not in a worker. */
static enum status check_written(const struct jobspec *spec, struct slice written,
                                 struct error *err)
{
    struct arena arena;
    struct jobspec again;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = jobspec_read(written, &arena, &again, err);
    if (status == STATUS_OK && !jobspec_equal(spec, &again))
        status = fail(err, STATUS_CORRUPT, "the job spec does not read back as it was written");
    arena_deinit(&arena);
    return status;
}

enum status jobspec_write(const struct jobspec *spec, struct text *out, struct error *err)
{
    cJSON *json;
    size_t start = out->size;
    enum status status;

    if (spec->kind == SPEC_TRAIN && !kind_find(spec->family))
        return fail(err, STATUS_CORRUPT, "member \"family\": there is no kind of model \"%.*s\"",
                    SLICE_FORMAT(spec->family));
    json = cJSON_CreateObject();
    json_add_integer(json, "version", JOBSPEC_VERSION);
    add_word(json, "kind", spec_kind_words, spec->kind);
    json_add_string(json, "statement", spec->statement);
    write_model(spec, json);
    if (spec->kind == SPEC_TRAIN)
        write_learning(spec, json);
    else
        spec_write_scoring(&spec->scoring, json);
    write_job(spec, json);
    status = json_print(json, true, out, err);
    cJSON_Delete(json);
    TRY(status);
    return check_written(spec, (struct slice){out->data + start, out->size - start}, err);
}
