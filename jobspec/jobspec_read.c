#include "jobspec/jobspec.h"

#include <string.h>

#include "base/json.h"
#include "jobspec/jobspec_parts.h"

#define HOST_BYTES_MAX         45      /* of an IP address */
#define COUNT_MAX              1000000 /* batch size, epochs, patience */
#define PENALTY_MAX            1e6
#define CHECKPOINT_SECONDS_MAX 86400
#define ACCUMULATOR_MAX        1e6
#define LEARNING_RATE_MAX      100

static enum status read_model(const cJSON *json, struct arena *arena, struct jobspec *spec,
                              struct error *err)
{
    const cJSON *model;
    unsigned task;

    TRY(spec_get_section(json, "model", MEMBERS("name", "estimator", "family", "task"), &model,
                         err));
    TRY(spec_get_text(model, "name", 1, NAME_BYTES_MAX, arena, &spec->model_name, err));
    TRY(spec_get_text(model, "estimator", 1, WORD_BYTES_MAX, arena, &spec->estimator, err));
    TRY(spec_get_text(model, "family", 1, WORD_BYTES_MAX, arena, &spec->family, err));
    TRY(spec_get_word(model, "task", task_words, &task, err));
    spec->task = (enum task)task;
    return STATUS_OK;
}

static enum status read_input(const cJSON *json, struct arena *arena, struct spec_input *input,
                              struct error *err)
{
    unsigned type;

    if (!cJSON_IsObject(json))
        return fail(err, STATUS_CORRUPT, "member \"inputs\": expected objects");
    TRY(spec_check_members(json, MEMBERS("name", "kind", "vocabulary_max"), err));
    TRY(spec_get_text(json, "name", 0, NAME_BYTES_MAX, arena, &input->name, err));
    TRY(spec_get_word(json, "kind", input_type_words, &type, err));
    input->type = (enum input_type)type;
    return type == INPUT_CATEGORY
               ? spec_get_u32(json, "vocabulary_max", 1, CATEGORY_WORDS_MAX, &input->vocabulary_max,
                              err)
               : spec_get_u32(json, "vocabulary_max", 0, 0, &input->vocabulary_max, err);
}

static enum status read_inputs(const cJSON *json, struct arena *arena, struct jobspec *spec,
                               struct error *err)
{
    const cJSON *inputs, *input;
    size_t count;

    TRY(json_get_array(json, "inputs", MODEL_INPUTS_MAX, &inputs, err));
    count = (size_t)cJSON_GetArraySize(inputs);
    if (count == 0)
        return fail(err, STATUS_CORRUPT, "member \"inputs\": expected at least one");
    spec->inputs = ARENA_NEW(arena, struct spec_input, count);
    if (!spec->inputs)
        return fail_no_memory(err);
    cJSON_ArrayForEach(input, inputs)
        TRY(read_input(input, arena, &spec->inputs[spec->input_count++], err));
    return STATUS_OK;
}

static enum status read_label(const cJSON *json, struct arena *arena, struct jobspec *spec,
                              struct error *err)
{
    const cJSON *label;
    unsigned type;

    TRY(json_get_object(json, "label", &label, err));
    if (json_has(label, "declared")) {
        TRY(spec_check_members(label, MEMBERS("name", "type", "declared"), err));
        TRY(spec_get_text(label, "declared", 1, NAME_BYTES_MAX, arena, &spec->label_declared, err));
    } else {
        TRY(spec_check_members(label, MEMBERS("name", "type"), err));
    }
    TRY(spec_get_text(label, "name", 0, NAME_BYTES_MAX, arena, &spec->label, err));
    TRY(spec_get_word(label, "type", label_type_words, &type, err));
    spec->label_type = (enum label_type)type;
    return STATUS_OK;
}

static enum status read_hidden_units(const cJSON *network, struct jobspec *spec, struct error *err)
{
    const cJSON *units, *width;

    TRY(json_get_array(network, "hidden_units", HIDDEN_LAYERS_MAX, &units, err));
    cJSON_ArrayForEach(width, units)
    {
        double value = cJSON_IsNumber(width) ? width->valuedouble : 0;
        if (!(value >= 1 && value <= HIDDEN_UNITS_MAX) || value != (double)(uint32_t)value)
            return fail(err, STATUS_CORRUPT,
                        "member \"hidden_units\": expected integers from 1 to %d",
                        HIDDEN_UNITS_MAX);
        spec->hidden_units[spec->hidden_layers++] = (uint32_t)value;
    }
    return STATUS_OK;
}

static enum status read_network(const cJSON *json, struct jobspec *spec, struct error *err)
{
    const cJSON *network;
    unsigned activation;

    TRY(spec_get_section(
        json, "network",
        MEMBERS("hidden_units", "activation", "dropout", "n_classes", "standardize", "l1", "l2"),
        &network, err));
    TRY(read_hidden_units(network, spec, err));
    TRY(spec_get_word(network, "activation", activation_words, &activation, err));
    spec->activation = (enum activation)activation;
    TRY(spec_get_share(network, "dropout", &spec->dropout, err));
    TRY(spec_get_u32(network, "n_classes", 0, CLASSES_MAX, &spec->n_classes, err));
    if (spec->n_classes == 1)
        return fail(err, STATUS_CORRUPT, "member \"n_classes\": expected 0, or 2 and more");
    TRY(json_get_boolean(network, "standardize", &spec->standardize, err));
    TRY(spec_get_real(network, "l1", 0, PENALTY_MAX, &spec->l1, err));
    return spec_get_real(network, "l2", 0, PENALTY_MAX, &spec->l2, err);
}

static enum status read_training(const cJSON *json, struct arena *arena, struct jobspec *spec,
                                 struct error *err)
{
    const cJSON *training;

    TRY(spec_get_section(json, "training",
                         MEMBERS("batch_size", "epochs", "max_steps", "seed", "shuffle",
                                 "has_validation", "test_size", "early_stopping", "balanced",
                                 "log_every_steps", "metrics"),
                         &training, err));
    TRY(spec_get_u32(training, "batch_size", 1, COUNT_MAX, &spec->batch_size, err));
    TRY(spec_get_u32(training, "epochs", 1, COUNT_MAX, &spec->epochs, err));
    TRY(spec_get_u64(training, "max_steps", &spec->max_steps, err));
    TRY(spec_get_u64(training, "seed", &spec->seed, err));
    TRY(json_get_boolean(training, "shuffle", &spec->shuffle, err));
    TRY(json_get_boolean(training, "has_validation", &spec->has_validation, err));
    TRY(spec_get_share(training, "test_size", &spec->test_size, err));
    TRY(spec_get_u32(training, "early_stopping", 0, COUNT_MAX, &spec->early_stopping, err));
    TRY(json_get_boolean(training, "balanced", &spec->balanced, err));
    TRY(spec_get_u32(training, "log_every_steps", 0, UINT32_MAX, &spec->log_every_steps, err));
    if (spec->has_validation && spec->test_size > 0)
        return fail(err, STATUS_CORRUPT,
                    "members \"has_validation\" and \"test_size\" exclude each other");
    return spec_get_words(training, "metrics", METRICS_MAX, arena, spec->metrics,
                          &spec->metric_count, err);
}

static enum status read_optimizer(const cJSON *json, struct jobspec *spec, struct error *err)
{
    const cJSON *optimizer;
    unsigned name, schedule;

    TRY(spec_get_section(json, "optimizer",
                         MEMBERS("name", "learning_rate", "momentum", "beta1", "beta2", "epsilon",
                                 "initial_accumulator", "schedule"),
                         &optimizer, err));
    TRY(spec_get_word(optimizer, "name", optimizer_words, &name, err));
    spec->optimizer = (enum optimizer_kind)name;
    TRY(spec_get_real(optimizer, "learning_rate", 0, LEARNING_RATE_MAX, &spec->learning_rate, err));
    TRY(spec_get_share(optimizer, "momentum", &spec->momentum, err));
    TRY(spec_get_share(optimizer, "beta1", &spec->beta1, err));
    TRY(spec_get_share(optimizer, "beta2", &spec->beta2, err));
    TRY(spec_get_real(optimizer, "epsilon", 0, 1, &spec->epsilon, err));
    TRY(spec_get_real(optimizer, "initial_accumulator", 0, ACCUMULATOR_MAX,
                      &spec->initial_accumulator, err));
    TRY(spec_get_word(optimizer, "schedule", schedule_words, &schedule, err));
    spec->schedule = (enum schedule)schedule;
    return STATUS_OK;
}

static enum status read_job(const cJSON *json, struct arena *arena, struct jobspec *spec,
                            struct error *err)
{
    const cJSON *job;

    TRY(spec_get_section(json, "job",
                         MEMBERS("lanes", "lanes_max", "min_workers", "max_workers",
                                 "checkpoint_seconds", "metrics_host", "metrics_port",
                                 "tensorboard", "threads", "in_one_process"),
                         &job, err));
    TRY(spec_get_u32(job, "lanes", 0, JOBSPEC_LANES_MAX, &spec->lanes, err));
    TRY(spec_get_u32(job, "lanes_max", 1, JOBSPEC_LANES_MAX, &spec->lanes_max, err));
    TRY(spec_get_u32(job, "min_workers", 1, JOBSPEC_WORKERS_MAX, &spec->min_workers, err));
    TRY(spec_get_real(job, "checkpoint_seconds", 0, CHECKPOINT_SECONDS_MAX,
                      &spec->checkpoint_seconds, err));
    TRY(spec_get_u32(job, "max_workers", spec->min_workers, JOBSPEC_WORKERS_MAX, &spec->max_workers,
                     err));
    TRY(spec_get_text(job, "metrics_host", 0, HOST_BYTES_MAX, arena, &spec->metrics_host, err));
    TRY(spec_get_u32(job, "metrics_port", 0, UINT16_MAX, &spec->metrics_port, err));
    TRY(spec_get_path(job, "tensorboard", arena, &spec->tensorboard, err));
    TRY(spec_get_u32(job, "threads", 0, JOBSPEC_THREADS_MAX, &spec->threads, err));
    TRY(json_get_boolean(job, "in_one_process", &spec->in_one_process, err));
    if (spec->in_one_process && spec->max_workers > 1)
        return fail(err, STATUS_CORRUPT,
                    "job spec: job.in_one_process is true, and job.max_workers is %u",
                    spec->max_workers);
    return STATUS_OK;
}

/* What a network is learned by. */
static enum status read_learning(const cJSON *json, struct arena *arena, struct jobspec *spec,
                                 struct error *err)
{
    TRY(read_inputs(json, arena, spec, err));
    TRY(read_label(json, arena, spec, err));
    TRY(read_network(json, spec, err));
    TRY(read_training(json, arena, spec, err));
    return read_optimizer(json, spec, err);
}

static enum status read_all(const cJSON *json, struct arena *arena, struct jobspec *spec,
                            struct error *err)
{
    int64_t version;
    unsigned kind;

    if (!cJSON_IsObject(json))
        return fail(err, STATUS_CORRUPT, "expected an object");
    TRY(json_get_integer(json, "version", JOBSPEC_VERSION, JOBSPEC_VERSION, &version, err));
    TRY(spec_get_word(json, "kind", spec_kind_words, &kind, err));
    spec->kind = (enum spec_kind)kind;
    TRY(spec_check_members(json,
                           kind == SPEC_TRAIN
                               ? MEMBERS("version", "kind", "statement", "model", "inputs", "label",
                                         "network", "training", "optimizer", "job")
                               : MEMBERS("version", "kind", "statement", "model", "scoring", "job"),
                           err));
    TRY(spec_get_text(json, "statement", 0, JOBSPEC_BYTES_MAX, arena, &spec->statement, err));
    TRY(read_model(json, arena, spec, err));
    TRY(kind == SPEC_TRAIN ? read_learning(json, arena, spec, err)
                           : spec_read_scoring(json, arena, spec, err));
    return read_job(json, arena, spec, err);
}

enum status jobspec_read(struct slice text, struct arena *arena, struct jobspec *spec,
                         struct error *err)
{
    enum status status;
    cJSON *json;

    *spec = (struct jobspec){0};
    TRY(json_parse(text, JOBSPEC_BYTES_MAX, &json, err));
    status = read_all(json, arena, spec, err);
    cJSON_Delete(json);
    return status;
}
