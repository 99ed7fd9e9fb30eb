#include "planner/training/training.h"

#include <math.h>
#include <string.h>

#include "base/memory_size.h"
#include "jobspec/job_attributes.h"
#include "jobspec/job_size.h"
#include "planner/attributes/attribute_check.h"
#include "planner/attributes/attributes.h"
#include "planner/columns/old_model.h"
#include "planner/plan/model_words.h"
#include "planner/plan/planning.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"
#include "planner/training/cluster.h"
#include "planner/training/final_choice.h"
#include "planner/training/folds.h"
#include "planner/training/metric_list.h"
#include "planner/training/search.h"
#include "planner/training/servers.h"
#include "planner/training/workers.h"

/* Not a list, nor an object by label. */
static bool says_word(const struct attribute *attribute, const struct value *value)
{
    return value->kind != VALUE_LIST && attribute_word(attribute, value->text) != NULL;
}

static void set_from_value(const struct attribute *attribute, const struct value *value,
                           void *members)
{
    void *member = attribute_at(attribute, members);
    const struct value *items = value->kind == VALUE_LIST ? value->items : value;
    struct counts *counts = member;
    struct reals *reals = member;
    double bytes = 0;
    unsigned place;

    if (attribute_takes_automatic(attribute, value)) {
        attribute_set_automatic(attribute, members);
        return;
    }
    switch (attribute->store) {
    case STORE_NONE:
        break;
    case STORE_U32:
    case STORE_U64:
        if (attribute->type == ATTRIBUTE_MEMORY && memory_size_read(value->text, &bytes)) {
            attribute_set_integer(attribute, members, (uint64_t)bytes);
            break;
        }
        if (attribute->minus_one_is_0 && value->number == -1)
            attribute_set_integer(attribute, members, 0);
        else
            attribute_set_integer(attribute, members,
                                  value->is_integer ? (uint64_t)value->integer
                                                    : (uint64_t)value->number);
        break;
    case STORE_REAL: /* a number that stands for 'auto' is its neighbour */
        *(double *)member = attribute->is_automatic && value->number == REAL_AUTOMATIC
                                ? nextafter(REAL_AUTOMATIC, 0)
                                : value->number;
        break;
    case STORE_BOOLEAN:
        *(bool *)member = attribute->type == ATTRIBUTE_WORD      ? true
                          : attribute->type == ATTRIBUTE_WEIGHTS ? says_word(attribute, value)
                          : value->kind == VALUE_BOOLEAN         ? value->boolean
                                                                 : value->integer != 0;
        break;
    case STORE_ENUM:
        term_find(attribute->words, slice_of(attribute_word(attribute, value->text)), &place);
        memcpy(member, &place, sizeof place);
        break;
    case STORE_COUNTS:
        counts->count = value->kind == VALUE_LIST ? (uint32_t)value->count : 1;
        for (uint32_t i = 0; i < counts->count; i++)
            counts->items[i] = (uint32_t)items[i].number;
        break;
    case STORE_REALS:
        reals->count = value->kind == VALUE_LIST ? (uint32_t)value->count : 1;
        for (uint32_t i = 0; i < reals->count; i++)
            reals->items[i] = items[i].number;
        break;
    }
}

/* Each member is what the user set, else the default, else 0; one that the estimator fixes is the
 * estimator's default, or 0. */
static enum status set_members(const struct planning *planning, const struct attribute_table *table,
                               void *members)
{
    const struct estimator *estimator = planning->plan->estimator;

    for (size_t i = 0; i < table->count; i++) {
        const struct attribute *attribute = &table->rows[i];
        const struct attribute own = estimator_attribute(estimator, attribute);
        const struct setting *setting = settings_find(planning, attribute->name);

        if (attribute->store == STORE_NONE || !(attribute->scope & SCOPE_TRAIN))
            continue;
        if (setting) {
            set_from_value(attribute, &setting->value, members);
        } else if (estimator_uses(estimator, attribute) && attribute->example &&
                   !old_model_gives(planning, attribute)) {
            fail_at(planning->err, STATUS_INVALID, planning->statement->model.position,
                    "%s needs %s", estimator->name, attribute->name);
            return error_hint(planning->err, "%s", attribute->example);
        } else if (table == &job_attributes || estimator_uses(estimator, attribute) ||
                   estimator_default(estimator, attribute)) {
            attribute_set_default(&own, members);
        }
    }
    return STATUS_OK;
}

static void set_others(const struct planning *planning)
{
    const struct setting *wait = settings_find(planning, "job.wait");
    const struct setting *verbose = settings_find(planning, "train.verbose");
    struct plan *plan = planning->plan;

    plan->wait = !wait || setting_is_true(wait);
    plan->verbose = !verbose ? 1 : verbose->value.number < 0 ? 0 : (uint32_t)verbose->value.number;
    if (!settings_find(planning, "train.seed"))
        plan->spec.seed = planning->catalog->limits.seed;
}

static bool find_setting(const void *context, const char *attribute, struct slice *spelled,
                         int *position)
{
    const struct setting *setting = settings_find(context, attribute);

    if (!setting)
        return false;
    *spelled = setting->name.text;
    *position = setting->name.position;
    return true;
}

static enum status check_validation(const struct planning *planning)
{
    const struct jobspec *training = &planning->plan->spec;
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
    if (training->early_stopping > 0 && training->test_size == 0 && !select &&
        planning->plan->folds == 0) {
        fail_at(planning->err, STATUS_INVALID, stopping->name.position,
                "train.early_stopping needs validation rows");
        return error_hint(planning->err,
                          "Add train.test_size = 0.1 to hold out a tenth of the rows, "
                          "validation.select, or train.folds.");
    }
    return STATUS_OK;
}

/* 'auto', of a model for which it is not 0, that has rows held out, and weights of an epoch. */
static bool keeps_best(const struct planning *planning)
{
    const struct plan *plan = planning->plan;
    const struct attribute *attribute = attribute_find(SLICE("train.early_stopping"));
    const struct setting *setting = settings_find(planning, attribute->name);
    const struct attribute own = estimator_attribute(plan->estimator, attribute);

    return own.is_automatic && (!setting || attribute_takes_automatic(&own, &setting->value)) &&
           (plan->spec.test_size != 0 || settings_find(planning, "validation.select")) &&
           plan->folds == 0 && plan->spec.servers == 0;
}

static enum aim aim_of(const struct plan *plan)
{
    const struct kind *kind = plan->estimator->kind;

    return kind->aim ? kind->aim(&plan->spec.params, plan->estimator->task) : AIM_MEANS;
}

/* Where the metrics of each round are measured, early stopping goes by the last one. */
static enum status check_stopping_metric(const struct planning *planning)
{
    const struct setting *metrics = settings_find(planning, "validation.metrics");
    const struct plan *plan = planning->plan;
    struct measure last;

    if (!metrics || plan->spec.early_stopping == 0 || !plan->estimator->kind->measures_rounds ||
        plan->metric_count == 0 || !measure_find(plan->metrics[plan->metric_count - 1], &last) ||
        metric_is_of_rounds(last.metric))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, metrics->value.span.start,
            "train.early_stopping uses the last metric, and %s is not measured each round",
            metric_name(last.metric));
    return error_hint(planning->err, "Name another one behind it, as in '%s, RMSE'.",
                      metric_name(last.metric));
}

static enum status refuse_task(const struct attribute *attribute, const struct name *name,
                               const struct estimator *estimator, struct error *err)
{
    enum status status = STATUS_INVALID;
    struct text names;

    text_init(&names, TEXT_MAXIMUM);
    estimators_append(attribute, &names);
    fail_at(err, status, name->position, "attribute \"%s\" has no use with a %s", attribute->name,
            model_word(estimator->kind, estimator->task));
    error_hint(err, "It belongs to %s.", text_string(&names));
    if (names.failed)
        status = fail_no_memory(err);
    text_deinit(&names);
    return status;
}

static enum status check_task(const struct planning *planning)
{
    const enum task task = planning->plan->estimator->task;

    for (size_t i = 0; i < planning->setting_count; i++) {
        const struct attribute *attribute = planning->settings[i].attribute;
        const struct name *name = &planning->settings[i].setting->name;

        if (attribute->tasks && !(attribute->tasks >> task & 1))
            return refuse_task(attribute, name, planning->plan->estimator, planning->err);
    }
    return STATUS_OK;
}

static enum status check_workers(const struct planning *planning)
{
    const struct jobspec *training = &planning->plan->spec;
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

/* Does the attribute mean anything for this estimator, beside the others? */
static bool is_relevant(const struct plan *plan, const struct attribute *attribute)
{
    const struct kind *kind = plan->estimator->kind;

    return estimator_uses(plan->estimator, attribute) &&
           (!attribute_is_of_kind(attribute, kind) || !kind->uses ||
            kind->uses(&plan->spec.params, attribute));
}

/* A value that the kind may have settled otherwise than the statement and the table say. */
static void append_settled(const struct plan *plan, const struct attribute *attribute,
                           struct text *out)
{
    const void *member = plan->spec.params.bytes + attribute->offset;
    const struct reals *reals = member;
    unsigned place;

    if (attribute->store == STORE_REAL) {
        text_append_real(out, *(const double *)member);
        return;
    }
    if (attribute->store == STORE_REALS) {
        for (uint32_t i = 0; i < reals->count; i++) {
            text_append_string(out, i > 0 ? ", " : "");
            text_append_real(out, reals->items[i]);
        }
        return;
    }
    memcpy(&place, member, sizeof place);
    text_append_string(out, attribute->words[place]);
}

static struct kind_length length_of(const struct plan *plan)
{
    return plan->estimator->kind->length(&plan->spec.params, plan->estimator->task);
}

static void append_epochs(struct kind_length length, struct text *out)
{
    text_printf(out, "at least 10, and %u steps", length.steps_least);
    if (length.epochs > 0)
        text_printf(out, "; %u of at most %u steps", length.epochs, length.steps_most);
}

static void append_held_out(const struct plan *plan, struct text *out)
{
    const struct job_held_out held_out =
        job_held_out(plan->folds > 0 ? 0 : REAL_AUTOMATIC, plan->validation_select.size > 0,
                     job_needs_held_out(&plan->spec), task_has_label(plan->estimator->task));

    if (held_out.share == 0) {
        text_append_string(out, "none");
        return;
    }
    text_printf(out, "%g", held_out.share);
    if (held_out.least_rows > 0)
        text_printf(out, " of %u rows or more", held_out.least_rows);
}

/* Appends what an automatic attribute becomes when the rows are known. */
static void append_automatic(const struct plan *plan, const struct attribute *attribute,
                             struct text *out)
{
    const struct slice name = slice_of(attribute->name);

    text_append_string(out, "auto: ");
    if (slice_is(name, "train.test_size"))
        append_held_out(plan, out);
    else if (slice_is(name, "train.early_stopping"))
        text_append_string(
            out, plan->spec.keeps_best ? "the best epoch where the last is clearly worse" : "0");
    else if (slice_is(name, "model.max_samples"))
        text_append_string(out, "256 rows, or all");
    else if (slice_is(name, "model.contamination"))
        text_append_string(out, "by the score -0.5");
    else if (slice_is(name, "train.epoch"))
        append_epochs(length_of(plan), out);
    else if (!slice_is(name, "model.l2"))
        text_append_string(out, task_has_label(plan->estimator->task) ? "by the labels"
                                                                      : "by the inputs");
    else if (length_of(plan).l2 == 0)
        text_append_char(out, '0');
    else
        text_printf(out, "%g / training rows", length_of(plan).l2);
}

static bool is_automatic(const struct attribute *attribute, const struct setting *setting)
{
    return attribute->is_automatic &&
           (!setting || attribute_takes_automatic(attribute, &setting->value));
}

static void append_effective(const struct plan *plan, const struct attribute *of_all,
                             const struct setting *setting, struct text *out)
{
    const bool is_of_kind = attribute_is_of_kind(of_all, plan->estimator->kind);
    const struct attribute own = estimator_attribute(plan->estimator, of_all);
    const struct attribute *attribute = setting ? of_all : &own;
    const struct slice name = slice_of(attribute->name);

    if (servers_append_value(plan, attribute, setting, out))
        return;
    if (is_automatic(attribute, setting)) {
        append_automatic(plan, attribute, out);
    } else if (is_of_kind &&
               (attribute->store == STORE_ENUM ||
                (attribute->store == STORE_REALS && !setting && attribute->default_value) ||
                (attribute->store == STORE_REAL && (!setting || !attribute->default_value)))) {
        append_settled(plan, attribute, out);
    } else if (slice_is(name, "validation.metrics")) {
        for (size_t i = 0; i < plan->metric_count; i++) {
            text_append_string(out, i > 0 ? ", " : "");
            text_append(out, plan->metrics[i]);
        }
        if (plan->metric_count == 0)
            text_append_string(out, "those of the objective");
        if (plan->has_default_metrics && plan->estimator->task == TASK_CLASSIFICATION)
            text_append_string(out, " (the last two of two classes)");
    } else if (slice_is(name, "train.seed") && !setting) {
        text_printf(out, "%llu", (unsigned long long)plan->spec.seed);
    } else if (setting &&
               (setting->value.kind == VALUE_WORD || setting->value.kind == VALUE_STRING)) {
        text_append(out, setting->value.text);
    } else if (setting) {
        value_append(&setting->value, out);
    } else {
        const bool is_chosen =
            attribute->type == ATTRIBUTE_INTEGER || attribute->type == ATTRIBUTE_MEMORY;
        const char *absent = is_chosen ? "automatic" : "none";
        text_append_string(out, attribute->default_value ? attribute->default_value : absent);
    }
}

enum status training_record(const struct planning *planning)
{
    struct plan *plan = planning->plan;
    const struct attribute *attribute;
    enum status status = STATUS_OK;
    struct text value;
    size_t count = 0;

    while (attribute_number(count))
        count++;
    plan->attribute_count = 0;
    plan->attributes = ARENA_NEW(planning->arena, struct plan_attribute, count);
    if (!plan->attributes)
        return fail_no_memory(planning->err);
    text_init(&value, STATEMENT_BYTES_MAX);
    for (size_t i = 0; status == STATUS_OK && (attribute = attribute_number(i)); i++) {
        struct plan_attribute *recorded = &plan->attributes[plan->attribute_count];
        const struct setting *setting = settings_find(planning, attribute->name);

        if (!is_relevant(plan, attribute) ||
            (!setting && (cluster_knows(attribute->name) || search_knows(attribute->name) ||
                          !servers_use(plan, attribute))))
            continue;
        attribute = attribute_of_kind(attribute, plan->estimator->kind);
        text_clear(&value);
        append_effective(plan, attribute, setting, &value);
        recorded->attribute = attribute;
        recorded->is_set = setting != NULL;
        recorded->value = arena_copy(planning->arena, text_slice(&value));
        if (value.failed || !recorded->value.data)
            status = fail_no_memory(planning->err);
        plan->attribute_count++;
    }
    text_deinit(&value);
    return status;
}

/* Whether rows have it is known when all of them are read (column_statistics_finish.c). */
static enum status plan_positive(struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "model.positive");
    const struct value *value = setting ? &setting->value : NULL;

    if (!value)
        return STATUS_OK;
    if (value->kind == VALUE_BOOLEAN)
        return slice_keep(planning, slice_of(value->boolean ? "true" : "false"),
                          &planning->plan->positive);
    if (value->text.size > LABEL_BYTES_MAX)
        return fail_at(planning->err, STATUS_LIMIT, value->span.start,
                       "a label of at most %d bytes can be named", LABEL_BYTES_MAX);
    return slice_keep(planning, value->text, &planning->plan->positive);
}

/* A list or an object, as JSON; what belongs to which class is known when all rows are read. */
static enum status plan_class_weights(struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "train.class_weight");
    struct text list;
    enum status status;

    if (!setting || planning->plan->spec.balanced)
        return STATUS_OK;
    if (setting->value.span.end - setting->value.span.start > CLASS_WEIGHTS_BYTES_MAX)
        return fail_at(planning->err, STATUS_LIMIT, setting->value.span.start,
                       "weights of classes take at most %d bytes", CLASS_WEIGHTS_BYTES_MAX);
    if (setting->value.kind != VALUE_LIST)
        return slice_keep(planning, slice_trim(setting->value.text),
                          &planning->plan->class_weights);
    text_init(&list, STATEMENT_BYTES_MAX);
    value_append(&setting->value, &list);
    status = list.failed ? fail_no_memory(planning->err)
                         : slice_keep(planning, text_slice(&list), &planning->plan->class_weights);
    text_deinit(&list);
    return status;
}

/* Where nothing that the statement sets is wrong, its model is. */
static enum status settle(struct planning *planning, const struct kind_settings *settings)
{
    struct plan *plan = planning->plan;
    const struct kind *kind = plan->estimator->kind;
    const enum status status =
        kind->settle ? kind->settle(&plan->spec.params, settings, planning->err) : STATUS_OK;

    if (status != STATUS_OK && planning->err && planning->err->position < 0)
        planning->err->position = planning->statement->model.position;
    return status;
}

enum status training_plan(struct planning *planning)
{
    struct kind_settings settings = {.context = planning, .find = find_setting};
    struct plan *plan = planning->plan;

    TRY(set_members(planning, &job_attributes, &plan->spec));
    TRY(set_members(planning, plan->estimator->kind->attributes, plan->spec.params.bytes));
    set_others(planning);
    settings.task = plan->estimator->task;
    settings.classes = plan->spec.n_classes;
    TRY(old_model_take_shape(planning));
    TRY(settle(planning, &settings));
    TRY(check_task(planning));
    TRY(servers_plan(planning));
    TRY(folds_plan(planning));
    TRY(check_validation(planning));
    TRY(final_step_plan(planning));
    plan->spec.keeps_best = keeps_best(planning);
    TRY(check_workers(planning));
    TRY(workers_check(planning, plan->spec.min_workers, plan->spec.max_workers));
    TRY(metrics_plan(planning, plan->estimator->task, aim_of(plan), aim_measured(aim_of(plan)), 0));
    TRY(check_stopping_metric(planning));
    if (plan->has_default_metrics && plan->estimator->kind->measures_itself &&
        plan->estimator->kind->measures_itself(&plan->spec.params))
        plan->metric_count = 0;
    TRY(plan_positive(planning));
    TRY(plan_class_weights(planning));
    return training_record(planning);
}
