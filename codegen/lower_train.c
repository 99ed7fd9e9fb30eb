#include "codegen/codegen.h"

static enum status find_word(struct slice word, const char *const *words, unsigned *value,
                             struct error *err)
{
    if (term_find(words, word, value))
        return STATUS_OK;
    return fail(err, STATUS_INVALID, "\"%.*s\" is no word of the job spec", SLICE_FORMAT(word));
}

static enum status lower_words(const struct plan_training *training, struct jobspec *spec,
                               struct error *err)
{
    unsigned activation = ACTIVATION_IDENTITY, optimizer, schedule;

    /* A model without hidden layers has no activation. */
    if (training->hidden_layers > 0)
        TRY(find_word(training->activation, activation_words, &activation, err));
    TRY(find_word(training->optimizer, optimizer_words, &optimizer, err));
    TRY(find_word(training->schedule, schedule_words, &schedule, err));
    spec->activation = (enum activation)activation;
    spec->optimizer = (enum optimizer_kind)optimizer;
    spec->schedule = (enum schedule)schedule;
    return STATUS_OK;
}

static enum status lower_inputs(const struct plan *plan, struct arena *arena, struct jobspec *spec,
                                struct error *err)
{
    spec->inputs = ARENA_NEW(arena, struct spec_input, plan->input_count);
    if (!spec->inputs)
        return fail_no_memory(err);
    spec->input_count = plan->input_count;
    for (size_t i = 0; i < plan->input_count; i++) {
        const struct plan_input *input = &plan->inputs[i];

        spec->inputs[i] = (struct spec_input){
            .name = input->name,
            .type = input->type,
            .vocabulary_max = input->type == INPUT_CATEGORY ? input->vocabulary_max : 0,
        };
    }
    return STATUS_OK;
}

static void lower_training(const struct plan_training *training, struct jobspec *spec)
{
    for (uint32_t i = 0; i < training->hidden_layers; i++)
        spec->hidden_units[i] = training->hidden_units[i];
    spec->hidden_layers = training->hidden_layers;
    spec->dropout = training->dropout;
    spec->n_classes = training->n_classes;
    spec->standardize = training->standardize;
    spec->l1 = training->l1;
    spec->l2 = training->l2;
    spec->batch_size = training->batch_size;
    spec->epochs = training->epochs;
    spec->max_steps = training->max_steps;
    spec->seed = training->seed;
    spec->shuffle = training->shuffle;
    spec->test_size = training->test_size;
    spec->early_stopping = training->early_stopping;
    spec->balanced = slice_is(training->class_weight, "balanced");
    spec->log_every_steps = training->log_every_steps;
    spec->learning_rate = training->learning_rate;
    spec->momentum = training->momentum;
    spec->beta1 = training->beta1;
    spec->beta2 = training->beta2;
    spec->epsilon = training->epsilon;
    spec->initial_accumulator = training->initial_accumulator;
}

static void lower_workers(const struct plan_training *training, struct jobspec *spec)
{
    spec->lanes = training->lanes;
    spec->checkpoint_seconds = training->checkpoint_seconds;
    spec->metrics_host = training->metrics_host;
    spec->metrics_port = training->metrics_port;
    spec->tensorboard = training->tensorboard;
    /* From the statement, never from the cores: lanes are part of the mathematics. */
    spec->lanes_max = training->max_workers > JOBSPEC_LANES_DEFAULT_MAX ? training->max_workers
                                                                        : JOBSPEC_LANES_DEFAULT_MAX;
    spec->min_workers = training->min_workers;
    spec->max_workers = training->max_workers ? training->max_workers : training->min_workers;
    spec->threads = training->threads;
}

enum status lower_train(const struct plan *plan, struct arena *arena, struct jobspec *spec,
                        struct error *err)
{
    *spec = (struct jobspec){
        .statement = plan->text,
        .estimator = slice_of(plan->estimator->name),
        .family = slice_of(plan->estimator->family),
        .task = plan->estimator->task,
        .model_name = plan->into_name,
        .label = plan->label,
        .label_type = plan->label_type,
        .label_declared = plan->label_declared,
        .has_validation = plan->validation_select.size > 0,
    };
    for (size_t i = 0; i < plan->metric_count; i++)
        spec->metrics[spec->metric_count++] = plan->metrics[i];
    TRY(lower_inputs(plan, arena, spec, err));
    lower_training(&plan->training, spec);
    lower_workers(&plan->training, spec);
    return lower_words(&plan->training, spec, err);
}
