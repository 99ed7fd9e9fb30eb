#include "jobspec/jobspec_write.h"

#include "base/json.h"
#include "graph/graph_json.h"
#include "inputs/input_members.h"
#include "jobspec/job_attributes.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_equal.h"
#include "jobspec/jobspec_read.h"
#include "jobspec/jobspec_scoring.h"
#include "jobspec/jobspec_sections.h"
#include "jobspec/jobspec_words.h"
#include "kinds/forecast/holidays.h"

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

static void write_inputs(const struct jobspec *spec, cJSON *json)
{
    cJSON *inputs = json_add_array(json, "inputs");

    for (size_t i = 0; i < spec->input_count; i++) {
        cJSON *input = cJSON_CreateObject();

        input_members_write(&spec->inputs[i], RECORD_JOB, 0, input);
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
    if (spec->fold_scores != FOLD_SCORES_NONE)
        add_word(label, "fold_scores", fold_scores_words, spec->fold_scores);
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

static void write_history(const struct spec_history *history, cJSON *json)
{
    cJSON *object;

    if (history->work.size == 0)
        return;
    object = json_add_object(json, "history");
    json_add_string(object, "work", history->work);
    json_add_string(object, "paces", history->paces);
    json_add_integer(object, "first", history->first);
}

static void write_learning(const struct jobspec *spec, cJSON *json)
{
    write_inputs(spec, json);
    write_label(spec, json);
    write_roles(spec, json);
    write_section(spec, NULL, json_add_object(json, kind_of(spec)->name));
    if (spec->graph) {
        graph_write(spec->graph, json_add_object(json, "calls"));
        json_add_string(json, "definition", spec->definition);
        if (spec->freeze.size > 0)
            json_add_string(json, "freeze", spec->freeze);
    }
    if (spec->holidays)
        holidays_write(spec->holidays, json, "holidays");
    write_training(spec, json);
    for (const char *const *section = kind_sections(spec); *section; section++)
        write_section(spec, *section, json_add_object(json, *section));
    if (spec->notices && spec->notices->count > 0)
        json_add(json, "notices", notice_list_to_json(spec->notices));
    if (spec->old_model.size > 0)
        json_add_string(json, "old_model", spec->old_model);
    if (spec->require.size > 0)
        json_add_string(json, "require", spec->require);
    write_history(&spec->history, json);
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
