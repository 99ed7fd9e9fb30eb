#include "jobspec/jobspec_read.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "graph/graph_frozen.h"
#include "graph/graph_json.h"
#include "inputs/input_members.h"
#include "jobspec/job_attributes.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_get.h"
#include "jobspec/jobspec_parts.h"
#include "jobspec/jobspec_scoring.h"
#include "jobspec/jobspec_sections.h"
#include "jobspec/jobspec_words.h"
#include "kinds/forecast/holidays.h"
#include "kinds/kinds.h"

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

/* The names of the members that the object may have: all that are there and known, and the first
 * `required` ones of a job's. */
static enum status check_input_members(const cJSON *json, bool are_of_source, size_t required,
                                       struct error *err)
{
    const char *names[INPUT_MEMBERS + 2] = {NULL};
    size_t count = 0, seen = 0;

    for (size_t i = 0; i < INPUT_MEMBERS; i++) {
        const char *name = input_members[i].names[RECORD_JOB];

        if (input_members[i].is_of_source == are_of_source &&
            (seen++ < required || json_has(json, name)))
            names[count++] = name;
    }
    if (!are_of_source && json_has(json, "source"))
        names[count++] = "source";
    return spec_check_members(json, names, err);
}

static uint32_t rows_least(const struct input_spec *input)
{
    return input->rule == RULE_BUCKET ? 2 : input->type != INPUT_NUMERIC;
}

static uint32_t rows_most(const struct input_spec *input)
{
    if (input->rule == RULE_BUCKET)
        return BUCKETS_MAX;
    return input->type != INPUT_NUMERIC ? CATEGORY_WORDS_MAX : 0;
}

/* The rules of a job alone: a model has what was learned in the place of vocabulary_max, and may
 * be older than readings are. */
static enum status check_job_input(const cJSON *json, const struct input_spec *input,
                                   struct error *err)
{
    if (input->vocabulary_max < rows_least(input) || input->vocabulary_max > rows_most(input))
        return fail(err, STATUS_CORRUPT,
                    "member \"vocabulary_max\": expected an integer from %u to %u",
                    rows_least(input), rows_most(input));
    if (json_has(json, "bounds") && input->bound_count + 1 != input->vocabulary_max)
        return fail(err, STATUS_CORRUPT, "member \"bounds\": %u of %u buckets", input->bound_count,
                    input->vocabulary_max);
    return input->reading != READING_STRICT
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "member \"reading\": \"%s\" is not written",
                      input_reading_words[input->reading]);
}

/* Name, kind and vocabulary_max are always there, and the column of a source. */
static enum status read_input(const cJSON *json, struct arena *arena, struct input_spec *input,
                              struct error *err)
{
    const cJSON *source;

    if (!cJSON_IsObject(json))
        return fail(err, STATUS_CORRUPT, "member \"inputs\": expected objects");
    TRY(check_input_members(json, false, 3, err));
    if (json_has(json, "source")) {
        TRY(json_get_object(json, "source", &source, err));
        TRY(check_input_members(source, true, 1, err));
    }
    TRY(input_members_read(json, RECORD_JOB, ALL_INPUT_MEMBERS, arena, input, err));
    return check_job_input(json, input, err);
}

static enum status read_label_reading(const cJSON *json, enum input_reading *reading,
                                      struct error *err)
{
    unsigned word;

    if (!json_has(json, "reading"))
        return STATUS_OK;
    TRY(spec_get_word(json, "reading", input_reading_words, &word, err));
    *reading = (enum input_reading)word;
    return *reading == READING_NUMBER || *reading == READING_STRICT
               ? fail(err, STATUS_CORRUPT, "member \"reading\": \"%s\" is not written",
                      input_reading_words[word])
               : STATUS_OK;
}

/* Only definitions have pictures of more numbers than other models have columns. */
static size_t inputs_max(const struct kind *kind)
{
    return kind->has_calls ? MODEL_NUMBERS_MAX : MODEL_INPUTS_MAX;
}

static enum status read_inputs(const cJSON *json, struct arena *arena, struct jobspec *spec,
                               struct error *err)
{
    const cJSON *inputs, *input;
    size_t count;

    TRY(json_get_array(json, "inputs", inputs_max(kind_of(spec)), &inputs, err));
    count = (size_t)cJSON_GetArraySize(inputs);
    if (count == 0)
        return fail(err, STATUS_CORRUPT, "member \"inputs\": expected at least one");
    spec->inputs = ARENA_NEW(arena, struct input_spec, count);
    if (!spec->inputs)
        return fail_no_memory(err);
    cJSON_ArrayForEach(input, inputs)
        TRY(read_input(input, arena, &spec->inputs[spec->input_count++], err));
    return STATUS_OK;
}

/* Where the statement wants a threshold or a calibration. */
static enum status read_final_step(const cJSON *label, struct arena *arena, struct jobspec *spec,
                                   struct error *err)
{
    struct threshold_choice choice;
    unsigned word = CALIBRATION_NONE, scores = FOLD_SCORES_NONE;

    if (json_has(label, "threshold")) {
        TRY(spec_get_text(label, "threshold", 1, THRESHOLD_RULE_BYTES_MAX, arena, &spec->threshold,
                          err));
        if (!threshold_choice_parse(spec->threshold, &choice))
            return fail(err, STATUS_CORRUPT, "member \"threshold\": \"%.*s\" is no rule",
                        SLICE_FORMAT(spec->threshold));
    }
    if (json_has(label, "calibration"))
        TRY(spec_get_word(label, "calibration", calibration_words, &word, err));
    spec->calibration = (enum calibration)word;
    if (json_has(label, "fold_scores"))
        TRY(spec_get_word(label, "fold_scores", fold_scores_words, &scores, err));
    spec->fold_scores = (enum fold_scores)scores;
    return STATUS_OK;
}

static enum status read_label(const cJSON *json, struct arena *arena, struct jobspec *spec,
                              struct error *err)
{
    const char *names[10] = {"name", "type", "positive"};
    const cJSON *label;
    size_t count = 3;
    unsigned type;

    TRY(json_get_object(json, "label", &label, err));
    if (json_has(label, "declared"))
        names[count++] = "declared";
    if (json_has(label, "reading"))
        names[count++] = "reading";
    if (json_has(label, "weights"))
        names[count++] = "weights";
    if (json_has(label, "threshold"))
        names[count++] = "threshold";
    if (json_has(label, "calibration"))
        names[count++] = "calibration";
    if (json_has(label, "fold_scores"))
        names[count++] = "fold_scores";
    TRY(spec_check_members(label, names, err));
    if (json_has(label, "declared"))
        TRY(spec_get_text(label, "declared", 1, TYPE_BYTES_MAX, arena, &spec->label_declared, err));
    if (json_has(label, "weights"))
        TRY(spec_get_text(label, "weights", 1, CLASS_WEIGHTS_BYTES_MAX, arena, &spec->class_weights,
                          err));
    TRY(read_final_step(label, arena, spec, err));
    TRY(read_label_reading(label, &spec->label_reading, err));
    if (reading_is_of_dates(spec->label_reading))
        return fail(err, STATUS_CORRUPT, "member \"reading\": a label is no date");
    TRY(spec_get_text(label, "name", 0, NAME_BYTES_MAX, arena, &spec->label, err));
    TRY(spec_get_text(label, "positive", 0, LABEL_BYTES_MAX, arena, &spec->positive, err));
    TRY(spec_get_word(label, "type", label_type_words, &type, err));
    spec->label_type = (enum label_type)type;
    if (task_has_label(spec->task) == (spec->label_type == LABEL_NONE) ||
        (spec->label_type == LABEL_NONE && spec->label.size > 0))
        return fail(err, STATUS_CORRUPT, "member \"label\": a %s with a label \"%.40s\" of type %s",
                    task_models[spec->task], spec->label.data, label_type_words[type]);
    return STATUS_OK;
}

/* Ascending, as they are written. */
static enum status read_roles(const cJSON *json, struct arena *arena, struct jobspec *spec,
                              struct error *err)
{
    const cJSON *roles, *item;

    if (!json_has(json, "roles"))
        return STATUS_OK;
    TRY(json_get_array(json, "roles", ROW_ROLES, &roles, err));
    cJSON_ArrayForEach(item, roles)
    {
        struct spec_role *role = &spec->roles[spec->role_count];
        unsigned word;

        if (!cJSON_IsObject(item))
            return fail(err, STATUS_CORRUPT, "member \"roles\": expected objects");
        TRY(spec_check_members(item, MEMBERS("role", "name"), err));
        TRY(spec_get_word(item, "role", row_role_words, &word, err));
        TRY(spec_get_text(item, "name", 0, NAME_BYTES_MAX, arena, &role->name, err));
        role->role = (enum row_role)word;
        if (spec->role_count++ > 0 && role[-1].role >= role->role)
            return fail(err, STATUS_CORRUPT, "member \"roles\": expected them in their order");
    }
    return spec->role_count > 0 ? STATUS_OK
                                : fail(err, STATUS_CORRUPT, "member \"roles\": there is none");
}

/* The members of one object of the spec that the attributes of a table have. */
static enum status read_members(const struct attribute_table *table, const char *section,
                                const cJSON *object, void *members, struct error *err)
{
    for (size_t i = 0; i < table->count; i++)
        if (attribute_is_in(&table->rows[i], section))
            TRY(attribute_read(&table->rows[i], object, members, err));
    return STATUS_OK;
}

/* The object `name`, of the attributes of `section` and of the members `others` besides. */
static enum status read_section(const cJSON *json, const char *name, const char *section,
                                const char *const *others, struct jobspec *spec,
                                const cJSON **object, struct error *err)
{
    const struct attribute_table *own = spec->kind == SPEC_TRAIN ? kind_of(spec)->attributes : NULL;
    const char *names[SECTION_MEMBERS_MAX + 1];
    size_t count = 0;

    while (others[count] && count < SECTION_MEMBERS_MAX)
        names[count] = others[count], count++;
    count = section_members(&job_attributes, section, names, count);
    if (own)
        count = section_members(own, section, names, count);
    names[count] = NULL;
    TRY(spec_get_section(json, name, names, object, err));
    TRY(read_members(&job_attributes, section, *object, spec, err));
    return own ? read_members(own, section, *object, spec->params.bytes, err) : STATUS_OK;
}

static enum status read_training(const cJSON *json, struct arena *arena, struct jobspec *spec,
                                 struct error *err)
{
    const cJSON *training;
    unsigned average;

    TRY(read_section(json, "training", "training",
                     MEMBERS("has_validation", "keeps_best", "staged_shards", "has_default_metrics",
                             "average", "metrics"),
                     spec, &training, err));
    TRY(json_get_boolean(training, "has_default_metrics", &spec->has_default_metrics, err));
    TRY(spec_get_word(training, "average", average_words, &average, err));
    spec->average = (enum average)average;
    TRY(json_get_boolean(training, "has_validation", &spec->has_validation, err));
    TRY(json_get_boolean(training, "keeps_best", &spec->keeps_best, err));
    TRY(spec_get_u32(training, "staged_shards", 0, JOBSPEC_STAGED_MAX, &spec->staged_shards, err));
    if (spec->has_validation && spec->test_size > 0)
        return fail(err, STATUS_CORRUPT,
                    "members \"has_validation\" and \"test_size\" exclude each other");
    return spec_get_words(training, "metrics", METRICS_MAX, arena, spec->metrics,
                          &spec->metric_count, err);
}

static enum status read_job(const cJSON *json, struct arena *arena, struct jobspec *spec,
                            struct error *err)
{
    const cJSON *job;

    TRY(read_section(
        json, "job", "job",
        MEMBERS("lanes_max", "metrics_host", "metrics_port", "tensorboard", "in_one_process"), spec,
        &job, err));
    TRY(spec_get_u32(job, "lanes_max", 1, JOBSPEC_LANES_MAX, &spec->lanes_max, err));
    if (spec->max_workers < spec->min_workers)
        return fail(err, STATUS_CORRUPT,
                    "member \"max_workers\": expected %u, min_workers, or more", spec->min_workers);
    TRY(spec_get_text(job, "metrics_host", 0, IP_BYTES_MAX, arena, &spec->metrics_host, err));
    TRY(spec_get_u32(job, "metrics_port", 0, UINT16_MAX, &spec->metrics_port, err));
    TRY(spec_get_path(job, "tensorboard", arena, &spec->tensorboard, err));
    TRY(json_get_boolean(job, "in_one_process", &spec->in_one_process, err));
    if (spec->in_one_process && spec->max_workers > 1)
        return fail(err, STATUS_CORRUPT,
                    "job spec: job.in_one_process is true, and job.max_workers is %u",
                    spec->max_workers);
    if (spec->in_one_process && spec->servers > 0)
        return fail(err, STATUS_CORRUPT,
                    "job spec: job.in_one_process is true, and job.servers is %u", spec->servers);
    if (spec->history.first > 0 &&
        (spec->history.first < spec->min_workers || spec->history.first > spec->max_workers))
        return fail(err, STATUS_CORRUPT,
                    "member \"first\": expected 0, or min_workers to max_workers");
    return STATUS_OK;
}

static enum status read_notices(const cJSON *json, struct arena *arena, struct jobspec *spec,
                                struct error *err)
{
    struct notice_list *notices;

    if (!json_has(json, "notices"))
        return STATUS_OK;
    notices = ARENA_NEW(arena, struct notice_list, 1);
    if (!notices)
        return fail_no_memory(err);
    spec->notices = notices;
    return notice_list_from_json(json, notices, err);
}

static enum status read_calls(const cJSON *json, struct arena *arena, struct jobspec *spec,
                              struct error *err)
{
    struct graph *graph;
    const cJSON *object;

    if (!kind_of(spec)->has_calls)
        return STATUS_OK;
    TRY(json_get_object(json, "calls", &object, err));
    TRY(spec_check_members(
        object, MEMBERS("nodes", "outputs", json_has(object, "minimised") ? "minimised" : NULL),
        err));
    graph = ARENA_NEW(arena, struct graph, 1);
    if (!graph)
        return fail_no_memory(err);
    spec->graph = graph;
    TRY(spec_get_text(json, "definition", 0, DIGEST_BYTES_MAX, arena, &spec->definition, err));
    if (json_has(json, "freeze"))
        TRY(spec_get_text(json, "freeze", 1, GRAPH_FROZEN_BYTES_MAX, arena, &spec->freeze, err));
    return graph_read(object, arena, graph, err);
}

static enum status read_holidays(const cJSON *json, struct arena *arena, struct jobspec *spec,
                                 struct error *err)
{
    struct holidays *holidays;

    if (!json_has(json, "holidays"))
        return STATUS_OK;
    holidays = ARENA_NEW(arena, struct holidays, 1);
    if (!holidays)
        return fail_no_memory(err);
    spec->holidays = holidays;
    return holidays_read(json, "holidays", arena, holidays, err);
}

static enum status read_history(const cJSON *json, struct arena *arena, struct jobspec *spec,
                                struct error *err)
{
    struct spec_history *history = &spec->history;
    const cJSON *object;

    if (!json_has(json, "history"))
        return STATUS_OK;
    TRY(spec_get_section(json, "history", MEMBERS("work", "paces", "first"), &object, err));
    TRY(spec_get_text(object, "work", JOBSPEC_WORK_BYTES, JOBSPEC_WORK_BYTES, arena, &history->work,
                      err));
    TRY(spec_get_text(object, "paces", 0, JOBSPEC_PACES_BYTES, arena, &history->paces, err));
    return spec_get_u32(object, "first", 0, JOBSPEC_WORKERS_MAX, &history->first, err);
}

/* Reads what a model is learned from, and how. */
static enum status read_learning(const cJSON *json, struct arena *arena, struct jobspec *spec,
                                 struct error *err)
{
    const char *const *sections = kind_sections(spec);
    const cJSON *object;

    TRY(read_inputs(json, arena, spec, err));
    TRY(read_label(json, arena, spec, err));
    TRY(read_roles(json, arena, spec, err));
    TRY(read_section(json, kind_of(spec)->name, NULL, MEMBERS(NULL), spec, &object, err));
    for (; *sections; sections++)
        TRY(read_section(json, *sections, *sections, MEMBERS(NULL), spec, &object, err));
    TRY(read_calls(json, arena, spec, err));
    TRY(read_holidays(json, arena, spec, err));
    TRY(read_notices(json, arena, spec, err));
    if (json_has(json, "old_model"))
        TRY(spec_get_text(json, "old_model", 1, DIGEST_BYTES_MAX, arena, &spec->old_model, err));
    if (json_has(json, "require"))
        TRY(spec_get_text(json, "require", 1, JOBSPEC_REQUIRE_BYTES, arena, &spec->require, err));
    TRY(read_history(json, arena, spec, err));
    return read_training(json, arena, spec, err);
}

/* Checks the members of a job that trains, by its kind. */
static enum status check_sections(const cJSON *json, const struct jobspec *spec, struct error *err)
{
    const char *names[SECTION_MEMBERS_MAX + 1] = {"version", "kind",  "statement", "model",
                                                  "inputs",  "label", "training",  "job"};
    size_t count = 8;

    names[count++] = kind_of(spec)->name;
    for (const char *const *section = kind_sections(spec); *section; section++)
        names[count++] = *section;
    if (kind_of(spec)->has_calls) {
        names[count++] = "calls";
        names[count++] = "definition";
        if (json_has(json, "freeze"))
            names[count++] = "freeze";
    }
    if (kind_of(spec)->learns_series && json_has(json, "holidays"))
        names[count++] = "holidays";
    if (json_has(json, "notices"))
        names[count++] = "notices";
    if (json_has(json, "roles"))
        names[count++] = "roles";
    if (json_has(json, "old_model"))
        names[count++] = "old_model";
    if (json_has(json, "require"))
        names[count++] = "require";
    if (json_has(json, "history"))
        names[count++] = "history";
    names[count] = NULL;
    return spec_check_members(json, names, err);
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
    if (kind == SPEC_TRAIN) {
        if (!json_has(json, "model")) /* its family decides which members there are */
            return fail(err, STATUS_CORRUPT, "member \"model\" is missing");
        TRY(read_model(json, arena, spec, err));
        if (!kind_find(spec->family))
            return fail(err, STATUS_CORRUPT,
                        "member \"family\": there is no kind of model \"%.*s\"",
                        SLICE_FORMAT(spec->family));
        TRY(check_sections(json, spec, err));
    } else {
        TRY(spec_check_members(
            json, MEMBERS("version", "kind", "statement", "model", "scoring", "job"), err));
        TRY(read_model(json, arena, spec, err));
    }
    TRY(spec_get_text(json, "statement", 0, JOBSPEC_BYTES_MAX, arena, &spec->statement, err));
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
