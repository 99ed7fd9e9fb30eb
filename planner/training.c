#include "planner/planning.h"

#include <stddef.h>

/*
 * Where each attribute goes. The value is what the user set, else the default
 * of the attribute table, else what the zeroed struct has.
 */
enum field_kind { FIELD_U32, FIELD_U64, FIELD_REAL, FIELD_BOOLEAN, FIELD_WORD };

struct field {
    const char *attribute;
    enum field_kind kind;
    size_t offset;
};

#define FIELD(attribute, kind, member)                                                             \
    {                                                                                              \
        attribute, FIELD_##kind, offsetof(struct plan_training, member)                            \
    }

static const struct field fields[] = {
    FIELD("model.activation", WORD, activation),
    FIELD("model.dropout", REAL, dropout),
    FIELD("model.n_classes", U32, n_classes),
    FIELD("model.standardize", BOOLEAN, standardize),
    FIELD("model.optimizer", WORD, optimizer),
    FIELD("model.l1", REAL, l1),
    FIELD("model.l2", REAL, l2),
    FIELD("train.batch_size", U32, batch_size),
    FIELD("train.epoch", U32, epochs),
    FIELD("train.max_steps", U64, max_steps),
    FIELD("train.shuffle", BOOLEAN, shuffle),
    FIELD("train.seed", U64, seed),
    FIELD("train.verbose", U32, verbose),
    FIELD("train.log_every_n_iter", U32, log_every_steps),
    FIELD("train.early_stopping", U32, early_stopping),
    FIELD("train.test_size", REAL, test_size),
    FIELD("train.class_weight", WORD, class_weight),
    FIELD("optimizer.learning_rate", REAL, learning_rate),
    FIELD("optimizer.momentum", REAL, momentum),
    FIELD("optimizer.beta1", REAL, beta1),
    FIELD("optimizer.beta2", REAL, beta2),
    FIELD("optimizer.epsilon", REAL, epsilon),
    FIELD("optimizer.initial_accumulator_value", REAL, initial_accumulator),
    FIELD("optimizer.schedule", WORD, schedule),
    FIELD("job.lanes", U32, lanes),
    FIELD("job.min_workers", U32, min_workers),
    FIELD("job.max_workers", U32, max_workers),
    FIELD("job.threads", U32, threads),
    FIELD("job.checkpoint_seconds", REAL, checkpoint_seconds),
    FIELD("job.wait", BOOLEAN, wait),
};

/* Which optimizers look at an attribute of optimizer.*; what is not here, all. */
static const struct {
    const char *attribute, *optimizers[3];
} uses[] = {
    {"optimizer.momentum", {"Momentum", "Nesterov", NULL}},
    {"optimizer.beta1", {"Adam", NULL, NULL}},
    {"optimizer.beta2", {"Adam", NULL, NULL}},
    {"optimizer.epsilon", {"Adam", "Adagrad", NULL}},
    {"optimizer.initial_accumulator_value", {"Adagrad", NULL, NULL}},
};

static const struct {
    const char *optimizer;
    double learning_rate;
} rates[] = {{"Adam", .01}, {"Adagrad", .05}, {"SGD", .01}, {"Momentum", .01}, {"Nesterov", .01}};

static void set_integer(const struct field *field, struct plan_training *training, uint64_t value)
{
    void *member = (char *)training + field->offset;

    if (field->kind == FIELD_U32)
        *(uint32_t *)member = (uint32_t)value;
    else
        *(uint64_t *)member = value;
}

static void set_from_value(const struct field *field, const struct attribute *attribute,
                           const struct value *value, struct plan_training *training)
{
    void *member = (char *)training + field->offset;

    switch (field->kind) {
    case FIELD_U32:
    case FIELD_U64:
        set_integer(field, training,
                    value->is_integer ? (uint64_t)value->integer : (uint64_t)value->number);
        break;
    case FIELD_REAL:
        *(double *)member = value->number;
        break;
    case FIELD_BOOLEAN:
        *(bool *)member = value->kind == VALUE_BOOLEAN ? value->boolean : value->integer != 0;
        break;
    case FIELD_WORD:
        *(struct slice *)member = slice_of(attribute_word(attribute, value->text));
        break;
    }
}

static void set_from_default(const struct field *field, const struct attribute *attribute,
                             struct plan_training *training)
{
    struct slice text = slice_of(attribute->default_value);
    void *member = (char *)training + field->offset;
    int64_t integer = 0;

    switch (field->kind) {
    case FIELD_U32:
    case FIELD_U64:
        slice_to_integer(text, &integer);
        set_integer(field, training, (uint64_t)integer);
        break;
    case FIELD_REAL:
        slice_to_real(text, (double *)member);
        break;
    case FIELD_BOOLEAN:
        *(bool *)member = slice_is(text, "true");
        break;
    case FIELD_WORD:
        *(struct slice *)member = text;
        break;
    }
}

static void set_fields(const struct planning *planning)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct attribute *attribute = attribute_find(slice_of(fields[i].attribute));
        const struct setting *setting = planning->settings[attribute - attributes];

        if (setting)
            set_from_value(&fields[i], attribute, &setting->value, &planning->plan->training);
        else if (attribute->default_value)
            set_from_default(&fields[i], attribute, &planning->plan->training);
    }
}

static void set_seed(const struct planning *planning)
{
    if (!settings_find(planning, "train.seed"))
        planning->plan->training.seed = planning->catalog->limits.seed;
}

static enum status set_layers(const struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "model.hidden_units");
    struct plan *plan = planning->plan;
    const struct value *items;

    if (!plan->estimator->has_hidden_layers)
        return STATUS_OK;
    if (!setting) {
        fail_at(planning->err, STATUS_INVALID, planning->statement->model.position,
                "%s needs model.hidden_units", plan->estimator->name);
        return error_hint(planning->err,
                          "Two hidden layers of 64 and 32 units are WITH model.hidden_units = "
                          "[64, 32].");
    }
    items = setting->value.kind == VALUE_LIST ? setting->value.items : &setting->value;
    plan->training.hidden_layers =
        setting->value.kind == VALUE_LIST ? (uint32_t)setting->value.count : 1;
    for (uint32_t i = 0; i < plan->training.hidden_layers; i++)
        plan->training.hidden_units[i] = (uint32_t)items[i].number;
    return STATUS_OK;
}

static bool optimizer_uses(struct slice optimizer, const char *attribute)
{
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (!slice_is(slice_of(attribute), uses[i].attribute))
            continue;
        for (const char *const *name = uses[i].optimizers; *name; name++)
            if (slice_is(optimizer, *name))
                return true;
        return false;
    }
    return true;
}

static enum status settle_optimizer(const struct planning *planning)
{
    struct plan_training *training = &planning->plan->training;

    /* Keras and PyTorch know momentum as an argument of SGD. */
    if (slice_is(training->optimizer, "SGD") && settings_find(planning, "optimizer.momentum"))
        training->optimizer = SLICE("Momentum");
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const struct setting *setting = settings_find(planning, uses[i].attribute);
        if (!setting || optimizer_uses(training->optimizer, uses[i].attribute))
            continue;
        fail_at(planning->err, STATUS_INVALID, setting->name.position,
                "attribute \"%.*s\" has no use with the optimizer %.*s",
                SLICE_FORMAT(setting->name.text), SLICE_FORMAT(training->optimizer));
        return error_hint(planning->err, "It belongs to %s%s%s.", uses[i].optimizers[0],
                          uses[i].optimizers[1] ? " and " : "",
                          uses[i].optimizers[1] ? uses[i].optimizers[1] : "");
    }
    if (settings_find(planning, "optimizer.learning_rate"))
        return STATUS_OK;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (slice_is(training->optimizer, rates[i].optimizer))
            training->learning_rate = rates[i].learning_rate;
    return STATUS_OK;
}

static enum status check_validation(const struct planning *planning)
{
    const struct plan_training *training = &planning->plan->training;
    const struct setting *select = settings_find(planning, "validation.select");
    const struct setting *share = settings_find(planning, "train.test_size");
    const struct setting *stopping = settings_find(planning, "train.early_stopping");

    if (select && share && training->test_size > 0) {
        int later = select->name.position > share->name.position ? select->name.position
                                                                 : share->name.position;
        fail_at(planning->err, STATUS_INVALID, later,
                "train.test_size and validation.select exclude each other");
        return error_hint(planning->err,
                          "Validation rows are either a share of the training rows or their own "
                          "SELECT.");
    }
    if (training->early_stopping > 0 && training->test_size == 0 && !select) {
        fail_at(planning->err, STATUS_INVALID, stopping->name.position,
                "train.early_stopping needs validation rows");
        return error_hint(planning->err,
                          "Add train.test_size = 0.1 to hold out a tenth of the rows, or "
                          "validation.select.");
    }
    return STATUS_OK;
}

static enum status check_task(const struct planning *planning)
{
    static const char *const of_classifiers[] = {"model.n_classes", "train.class_weight"};

    if (planning->plan->estimator->task == TASK_CLASSIFICATION)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof of_classifiers / sizeof *of_classifiers; i++) {
        const struct setting *setting = settings_find(planning, of_classifiers[i]);
        if (setting)
            return fail_at(planning->err, STATUS_INVALID, setting->name.position,
                           "attribute \"%.*s\" has no use with a regressor",
                           SLICE_FORMAT(setting->name.text));
    }
    return STATUS_OK;
}

static enum status check_workers(const struct planning *planning)
{
    const struct plan_training *training = &planning->plan->training;
    const struct setting *least = settings_find(planning, "job.min_workers");
    const struct {
        const char *name;
        uint32_t most;
    } limits[] = {{"job.max_workers", training->max_workers}, {"job.lanes", training->lanes}};

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].most > 0 && training->min_workers > limits[i].most)
            return fail_at(planning->err, STATUS_INVALID, least->value.span.start,
                           "job.min_workers is %u, more than %s, which is %u",
                           training->min_workers, limits[i].name, limits[i].most);
    return STATUS_OK;
}

/* Does the attribute mean anything for this estimator and optimizer? */
static bool is_relevant(const struct plan *plan, const struct attribute *attribute)
{
    return estimator_uses(plan->estimator, attribute) &&
           optimizer_uses(plan->training.optimizer, attribute->name);
}

static void append_effective(const struct plan *plan, const struct attribute *attribute,
                             const struct setting *setting, struct text *out)
{
    struct slice name = slice_of(attribute->name);

    if (slice_is(name, "model.optimizer")) {
        text_append(out, plan->training.optimizer);
    } else if (slice_is(name, "optimizer.learning_rate")) {
        text_append_real(out, plan->training.learning_rate);
    } else if (slice_is(name, "validation.metrics")) {
        for (size_t i = 0; i < plan->metric_count; i++) {
            text_append_string(out, i > 0 ? ", " : "");
            text_append(out, plan->metrics[i]);
        }
    } else if (slice_is(name, "train.seed") && !setting) {
        text_printf(out, "%llu", (unsigned long long)plan->training.seed);
    } else if (setting && setting->value.kind == VALUE_WORD) {
        text_append(out, setting->value.text);
    } else if (setting && setting->value.kind == VALUE_STRING) {
        text_append(out, setting->value.text);
    } else if (setting) {
        value_append(&setting->value, out);
    } else {
        const char *absent = attribute->type == ATTRIBUTE_INTEGER ? "automatic" : "none";
        text_append_string(out, attribute->default_value ? attribute->default_value : absent);
    }
}

static enum status record_attributes(const struct planning *planning)
{
    struct plan *plan = planning->plan;
    enum status status = STATUS_OK;
    struct text value;

    plan->attributes = ARENA_NEW(planning->arena, struct plan_attribute, attribute_count);
    if (!plan->attributes)
        return fail_no_memory(planning->err);
    text_init(&value, STATEMENT_BYTES_MAX);
    for (size_t i = 0; i < attribute_count && status == STATUS_OK; i++) {
        struct plan_attribute *recorded = &plan->attributes[plan->attribute_count];
        if (!is_relevant(plan, &attributes[i]) ||
            (!planning->settings[i] && cluster_knows(attributes[i].name)))
            continue;
        text_clear(&value);
        append_effective(plan, &attributes[i], planning->settings[i], &value);
        recorded->attribute = &attributes[i];
        recorded->is_set = planning->settings[i] != NULL;
        recorded->value = arena_copy(planning->arena, text_slice(&value));
        if (value.failed || !recorded->value.data)
            status = fail_no_memory(planning->err);
        plan->attribute_count++;
    }
    text_deinit(&value);
    return status;
}

enum status training_plan(struct planning *planning)
{
    set_fields(planning);
    set_seed(planning);
    TRY(set_layers(planning));
    TRY(settle_optimizer(planning));
    TRY(check_task(planning));
    TRY(check_validation(planning));
    TRY(check_workers(planning));
    TRY(workers_check(planning, planning->plan->training.min_workers,
                      planning->plan->training.max_workers));
    TRY(metrics_plan(planning, planning->plan->estimator->task));
    return record_attributes(planning);
}
