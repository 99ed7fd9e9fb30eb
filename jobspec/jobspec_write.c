#include "jobspec/jobspec.h"

#include "base/json.h"
#include "jobspec/jobspec_parts.h"

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
        json_add_string(input, "name", spec->inputs[i].name);
        add_word(input, "kind", input_type_words, spec->inputs[i].type);
        json_add_integer(input, "vocabulary_max", spec->inputs[i].vocabulary_max);
        json_append(inputs, input);
    }
}

static void write_label(const struct jobspec *spec, cJSON *json)
{
    cJSON *label = json_add_object(json, "label");

    json_add_string(label, "name", spec->label);
    add_word(label, "type", label_type_words, spec->label_type);
    if (spec->label_declared.size > 0)
        json_add_string(label, "declared", spec->label_declared);
}

static void write_network(const struct jobspec *spec, cJSON *json)
{
    cJSON *network = json_add_object(json, "network");
    cJSON *units = json_add_array(network, "hidden_units");

    for (uint32_t i = 0; i < spec->hidden_layers; i++)
        json_append(units, json_integer(spec->hidden_units[i]));
    add_word(network, "activation", activation_words, spec->activation);
    json_add_real(network, "dropout", spec->dropout);
    json_add_integer(network, "n_classes", spec->n_classes);
    json_add_boolean(network, "standardize", spec->standardize);
    json_add_real(network, "l1", spec->l1);
    json_add_real(network, "l2", spec->l2);
}

static void write_training(const struct jobspec *spec, cJSON *json)
{
    cJSON *training = json_add_object(json, "training");
    cJSON *metrics;

    json_add_integer(training, "batch_size", spec->batch_size);
    json_add_integer(training, "epochs", spec->epochs);
    json_add_integer(training, "max_steps", (int64_t)spec->max_steps);
    json_add_integer(training, "seed", (int64_t)spec->seed);
    json_add_boolean(training, "shuffle", spec->shuffle);
    json_add_boolean(training, "has_validation", spec->has_validation);
    json_add_real(training, "test_size", spec->test_size);
    json_add_integer(training, "early_stopping", spec->early_stopping);
    json_add_boolean(training, "balanced", spec->balanced);
    json_add_integer(training, "log_every_steps", spec->log_every_steps);
    metrics = json_add_array(training, "metrics");
    for (size_t i = 0; i < spec->metric_count; i++)
        json_append(metrics, json_string(spec->metrics[i]));
}

static void write_optimizer(const struct jobspec *spec, cJSON *json)
{
    cJSON *optimizer = json_add_object(json, "optimizer");

    add_word(optimizer, "name", optimizer_words, spec->optimizer);
    json_add_real(optimizer, "learning_rate", spec->learning_rate);
    json_add_real(optimizer, "momentum", spec->momentum);
    json_add_real(optimizer, "beta1", spec->beta1);
    json_add_real(optimizer, "beta2", spec->beta2);
    json_add_real(optimizer, "epsilon", spec->epsilon);
    json_add_real(optimizer, "initial_accumulator", spec->initial_accumulator);
    add_word(optimizer, "schedule", schedule_words, spec->schedule);
}

static void write_learning(const struct jobspec *spec, cJSON *json)
{
    write_inputs(spec, json);
    write_label(spec, json);
    write_network(spec, json);
    write_training(spec, json);
    write_optimizer(spec, json);
}

static void write_job(const struct jobspec *spec, cJSON *json)
{
    cJSON *job = json_add_object(json, "job");

    json_add_integer(job, "lanes", spec->lanes);
    json_add_integer(job, "lanes_max", spec->lanes_max);
    json_add_integer(job, "min_workers", spec->min_workers);
    json_add_integer(job, "max_workers", spec->max_workers);
    json_add_real(job, "checkpoint_seconds", spec->checkpoint_seconds);
    json_add_string(job, "metrics_host", spec->metrics_host);
    json_add_integer(job, "metrics_port", spec->metrics_port);
    json_add_string(job, "tensorboard", spec->tensorboard);
    json_add_integer(job, "threads", spec->threads);
    json_add_boolean(job, "in_one_process", spec->in_one_process);
}

/* What is written is valid: a bad spec is found here, not in a worker. */
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
    cJSON *json = cJSON_CreateObject();
    size_t start = out->size;
    enum status status;

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
