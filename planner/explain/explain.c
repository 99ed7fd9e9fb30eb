#include "planner/explain/explain.h"

#include "base/memory_size.h"
#include "inputs/encoders.h"
#include "jobspec/job_size.h"
#include "jobspec/jobspec.h"
#include "planner/attributes/attributes.h"
#include "planner/columns/offset.h"
#include "planner/columns/roles.h"
#include "planner/explain/explain_graph.h"
#include "planner/explain/explain_score.h"
#include "planner/explain/explain_work.h"
#include "planner/plan/explanation.h"
#include "planner/plan/model_words.h"
#include "planner/plan/parameters.h"
#include "planner/training/search.h"
#include "planner/training/servers.h"

#define LINES_EXTRA     30 /* beside inputs, attributes and notices */
#define INPUTS_ALIKE    10 /* so many side by side, and more, are one line */
#define SPEEDUP_WORKERS 8  /* listed one by one; beyond, where it grows by an eighth */
#define WORDS_NAMED     4  /* category columns that EXPLAIN names */

/* Or does each phase take all rows? */
static bool has_batches(const struct plan *plan)
{
    return estimator_uses(plan->estimator, attribute_find(SLICE("train.batch_size")));
}

/* "integer in 140, NULL in 10 of 150 sampled rows" */
static void append_counts(struct text *out, const struct query_column *column, uint32_t rows)
{
    /* A database's dates are numbers, other dates are texts. */
    const bool has_days = column->texts == 0 && column->integers >= column->dates;
    const bool has_seconds = column->texts == 0 && !has_days && column->reals >= column->dates;
    const struct {
        const char *what;
        uint32_t count;
    } parts[] = {{"integer", column->integers - (has_days ? column->dates : 0)},
                 {"real", column->reals - (has_seconds ? column->dates : 0)},
                 {"date", column->dates},
                 {"text that reads as a number", column->numeric_texts},
                 {"number with separators", column->separated_texts},
                 {"number in another spelling", column->written_texts},
                 {"yes or no", column->boolean_texts},
                 {"missing value spelled out", column->missing_texts},
                 {"text", column->texts > 0
                              ? column->texts - column->numeric_texts - column->separated_texts -
                                    column->boolean_texts - column->missing_texts -
                                    column->blank_texts - column->written_texts - column->dates
                              : 0},
                 {"blank text", column->blank_texts},
                 {"binary", column->blobs},
                 {"array", column->vectors},
                 {"NULL", column->nulls}};
    const char *comma = "";

    if (rows == 0) {
        text_append_string(out, "no row to sample");
        return;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].count == 0)
            continue;
        if (parts[i].count == rows) {
            text_printf(out, "%s in all %u sampled rows", parts[i].what, rows);
            return;
        }
        text_printf(out, "%s%s in %u", comma, parts[i].what, parts[i].count);
        comma = ", ";
    }
    text_printf(out, " of %u sampled rows", rows);
}

static void append_why(struct text *out, const struct plan *plan, int index)
{
    const struct query_column *column = &plan->query.columns[index];
    bool has_value = column->integers + column->reals + column->dates + column->texts +
                         column->blobs + column->vectors >
                     0;

    append_counts(out, column, plan->query.sample_rows);
    if (has_value)
        return;
    if (column->declared_type.size > 0)
        text_printf(out, ", declared %.*s", SLICE_FORMAT(column->declared_type));
    else
        text_append_string(out, ", no declared type");
}

/* Appends where the statement or the old model, rather than the rows, said what the column is. */
static void append_chosen(const struct explanation *explanation, const struct plan_input *input,
                          struct text *out)
{
    if (input->is_chosen)
        text_append_string(out, explanation->plan->model_name.size > 0 ? ", as in the old model"
                                                                       : ", said in COLUMN");
}

/* One of several. */
static void explain_one_label(struct explanation *explanation, const struct plan_input *input)
{
    if (input->spec.label == INPUT_LABEL_NUMBER)
        text_append_string(&explanation->detail, "number: ");
    else
        text_printf(&explanation->detail,
                    "classes of type %s: ", input_label_words[input->spec.label]);
    append_why(&explanation->detail, explanation->plan, input->column);
    explanation_line_of(explanation, "label", input->spec.name);
}

static void explain_input(struct explanation *explanation, const struct plan_input *input)
{
    const struct encoder *encoder = encoder_of(&input->spec);
    struct text *out = &explanation->detail;

    if (input->spec.offset) {
        append_why(out, explanation->plan, input->column);
        explanation_line_of(explanation, offset_called(input->spec.offset), input->spec.name);
        return;
    }
    if (input->spec.label) {
        explain_one_label(explanation, input);
        return;
    }
    text_append_string(out, input_type_words[input->spec.type]);
    if (encoder->explain)
        encoder->explain(&input->spec, out);
    concat_append(input->spec.concat, out);
    append_chosen(explanation, input, out);
    if (!input->spec.cross) {
        text_append_string(out, ": ");
        append_why(out, explanation->plan, input->column);
    }
    explanation_line_of(explanation, "input", input->spec.name);
}

/* The elements of an array, or of a list, are one line: "array of 784 in all 1000 sampled rows". */
static void explain_vector(struct explanation *explanation, const struct vector *vector,
                           const struct plan_input *first)
{
    struct text *out = &explanation->detail;

    if (vector->list.form == LIST_SPARSE)
        text_printf(out, "numeric, of the ids from 0 to %u", vector->size - 1);
    else if (vector->list.form == LIST_WORDS)
        text_printf(out,
                    "text, how many of its words%s are in each of %u hash buckets, of up to %u "
                    "different %s",
                    vector->list.has_pairs ? " and pairs of words" : "", vector->size,
                    vector->list.words_max, vector->list.has_pairs ? "ones" : "words");
    else
        text_printf(out, "numeric, %u %s", vector->size,
                    vector->list.form ? "numbers of a list" : "elements");
    append_chosen(explanation, first, out);
    text_append_string(out, ": ");
    append_why(out, explanation->plan, (int)vector->column);
    explanation_line_of(explanation, "input", vector->name);
}

/* The vector that begins with this input. */
static const struct vector *vector_at(const struct plan *plan, size_t i)
{
    const struct vectors *vectors = &plan->query.vectors;

    for (size_t j = 0; j < vectors->count; j++)
        if (!vectors->items[j].parts && !vectors->items[j].cross &&
            (size_t)plan->inputs[i].column == vectors_first(vectors, &vectors->items[j]))
            return &vectors->items[j];
    return NULL;
}

static bool are_alike(const struct plan_input *a, const struct plan_input *b)
{
    return a->spec.type == b->spec.type && a->is_chosen == b->is_chosen && !a->spec.offset &&
           !b->spec.offset && !a->spec.label && !b->spec.label && a->spec.rule == RULE_WORDS &&
           b->spec.rule == RULE_WORDS && a->spec.vocabulary_max == b->spec.vocabulary_max &&
           a->spec.words_max == b->spec.words_max;
}

/* Or an element of an array, a part of a date. */
static bool is_column(const struct plan *plan, size_t i)
{
    return (size_t)plan->inputs[i].column < plan->query.count;
}

static size_t run_of(const struct plan *plan, size_t i)
{
    size_t count = 1;

    while (is_column(plan, i) && i + count < plan->input_count && is_column(plan, i + count) &&
           are_alike(&plan->inputs[i], &plan->inputs[i + count]))
        count++;
    return count;
}

/* "inputs c0 ... c1998": "1999 numeric" */
static void explain_run(struct explanation *explanation, size_t first, size_t count)
{
    const struct plan_input *input = &explanation->plan->inputs[first];
    const struct slice last = explanation->plan->inputs[first + count - 1].spec.name;
    struct text *out = &explanation->detail, names;

    text_printf(out, "%zu %s", count, input_type_words[input->spec.type]);
    if (input->spec.type == INPUT_CATEGORY)
        text_printf(out, " of up to %u words each", input->spec.vocabulary_max);
    append_chosen(explanation, input, out);
    text_init(&names, TEXT_MAXIMUM);
    text_printf(&names, "%.*s ... %.*s", SLICE_FORMAT(input->spec.name), SLICE_FORMAT(last));
    explanation->failed |= names.failed;
    explanation_line_of(explanation, "inputs", text_slice(&names));
    text_deinit(&names);
}

static void explain_inputs(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;

    for (size_t i = 0; i < plan->input_count;) {
        const struct vector *vector = vector_at(plan, i);
        const size_t run = vector ? vector->size : run_of(plan, i);

        if (vector)
            explain_vector(explanation, vector, &plan->inputs[i]);
        else if (run >= INPUTS_ALIKE)
            explain_run(explanation, i, run);
        else
            explain_input(explanation, &plan->inputs[i]);
        i += vector || run >= INPUTS_ALIKE ? run : 1;
    }
}

/* The columns of the SELECT that EXCEPT names, and no clause takes. */
static void explain_excepted(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;

    if (plan->excepted_count == 0)
        return;
    for (size_t i = 0; i < plan->excepted_count; i++) {
        text_append_string(&explanation->detail, i > 0 ? ", " : "");
        text_append(&explanation->detail, plan->excepted[i]);
    }
    explanation_line(explanation, "left out by EXCEPT");
}

static void explain_label(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;

    if (plan->label_column < 0)
        return;
    if (plan->estimator->task == TASK_CLASSIFICATION)
        text_printf(&explanation->detail,
                    "classes of type %s: ", label_type_words[plan->label_type]);
    else
        text_append_string(&explanation->detail, "number: ");
    append_why(&explanation->detail, plan, plan->label_column);
    explanation_line_of(explanation, "label", plan->label);
}

static void explain_roles(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;

    for (size_t i = 0; i < plan->role_count; i++) {
        append_why(&explanation->detail, plan, plan->roles[i].column);
        explanation_line_of(explanation, roles_called(plan->roles[i].role), plan->roles[i].name);
    }
}

static void explain_model(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    struct text *out = &explanation->detail;

    text_printf(out, "%s, %s", plan->estimator->name,
                model_task_word(plan->estimator->kind, plan->estimator->task));
    explanation_line(explanation, "model");
    if (plan->model_name.size > 0) {
        text_printf(out, "%.*s of version %lld, whose %s", SLICE_FORMAT(plan->model_name),
                    (long long)plan->model.version,
                    plan->estimator->kind->learns_series ? "series move on by new rows"
                                                         : "inputs it takes");
        explanation_line(explanation, "goes on from");
    }
    if (plan->into_schema.size > 0)
        text_printf(out, "%.*s.", SLICE_FORMAT(plan->into_schema));
    text_append(out, plan->into_name);
    explanation_line(explanation, "into");
}

/* Parameters that one more word of a category brings. */
static double parameters_of_word(const struct plan *plan)
{
    struct kind_shape shape = shape_of(plan);
    const double few = cost_of(plan, &shape).parameters;

    shape.id_rows++;
    return cost_of(plan, &shape).parameters - few;
}

/* Parameters that one more class brings, beyond two. */
static double parameters_of_class(const struct plan *plan)
{
    struct kind_shape shape = shape_of(plan);
    double few;

    shape.classes = 3;
    few = cost_of(plan, &shape).parameters;
    shape.classes = 4;
    return cost_of(plan, &shape).parameters - few;
}

static void explain_inside(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    const struct kind_shape shape = shape_of(plan);

    plan->estimator->kind->explain(&plan->spec.params, &shape, &explanation->detail);
    explanation_line(explanation, plan->estimator->kind->explained);
}

static bool has_vocabulary(const struct plan_input *input)
{
    return input->spec.type == INPUT_CATEGORY && input->spec.rule == RULE_WORDS &&
           !input->spec.label;
}

/* The first columns by name, and how many others there are. */
static void explain_words(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    struct text *out = &explanation->detail;
    uint32_t named = 0, others = 0;

    for (size_t i = 0; i < plan->input_count; i++) {
        if (!has_vocabulary(&plan->inputs[i]))
            continue;
        if (named == WORDS_NAMED) {
            others++;
            continue;
        }
        if (named++ == 0)
            text_printf(out, "; %.0f for each further word of ", parameters_of_word(plan));
        else
            text_append_string(out, ", ");
        text_append(out, plan->inputs[i].spec.name);
    }
    if (others > 0)
        text_printf(out, " and %u other column%s", others, others > 1 ? "s" : "");
}

/* Is there a category, of which each word makes the model larger? */
static bool has_words(const struct plan *plan)
{
    if (parameters_of_word(plan) == 0)
        return false;
    for (size_t i = 0; i < plan->input_count; i++)
        if (has_vocabulary(&plan->inputs[i]))
            return true;
    return false;
}

static bool finds_classes(const struct plan *plan)
{
    return plan->estimator->task == TASK_CLASSIFICATION && plan->spec.n_classes == 0;
}

/* Classes and words that are not known yet make a model larger; rows that ask for less than its
 * most make it smaller. */
static const char *bound_of(const struct plan *plan)
{
    if (plan->estimator->kind->is_at_most)
        return "at most ";
    return finds_classes(plan) || has_words(plan) ? "at least " : "";
}

/* Bytes that learning takes of a worker, or of all servers together: there gradients and sums are
 * those of one batch, and are left out. */
static double bytes_held(const struct plan *plan, const struct kind_cost *cost)
{
    if (plan->spec.servers > 0)
        return cost->parameters * (1 + cost->slots) * sizeof(float);
    return bytes_of(plan, cost);
}

static void explain_memory(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    const struct kind_shape few = shape_of(plan), many = shape_most(plan);
    const struct kind_cost least = cost_of(plan, &few), most = cost_of(plan, &many);
    struct text *out = &explanation->detail;

    text_append_string(out, bound_of(plan));
    bytes_append(out, bytes_held(plan, &least));
    if (has_words(plan)) {
        text_append_string(out, ", with all words ");
        bytes_append(out, bytes_held(plan, &most));
        text_append_string(out, ",");
    }
    if (plan->spec.servers > 0)
        text_append_string(out, " on all servers for parameters and optimizer state");
    else
        text_printf(out, " a worker for %s", plan->estimator->kind->held);
    if (least.row_bytes > 0)
        text_printf(out, ", and %.0f bytes for each row", least.row_bytes);
    explanation_line(explanation, "memory");
}

static void explain_parameters(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    const struct kind_shape few = shape_of(plan), many = shape_most(plan);
    struct text *out = &explanation->detail;

    text_printf(out, "%s%.0f", bound_of(plan), cost_of(plan, &few).parameters);
    if (finds_classes(plan) && plan->spec.graph)
        text_append_string(out, " with two classes");
    else if (finds_classes(plan))
        text_printf(out, " with two classes; where there are more, %.0f for each class",
                    parameters_of_class(plan));
    if (has_words(plan)) {
        explain_words(explanation);
        text_printf(out, ", up to %.0f with all words", cost_of(plan, &many).parameters);
    }
    explanation_line(explanation, "parameters");
    explain_memory(explanation);
}

/* More workers than lanes would have nothing to do. */
static uint32_t lanes_most(const struct plan *plan)
{
    const uint32_t workers = plan->spec.max_workers;
    return workers > JOBSPEC_LANES_DEFAULT_MAX ? workers : JOBSPEC_LANES_DEFAULT_MAX;
}

static uint32_t lanes_of(const struct plan *plan, double parameters)
{
    if (!has_batches(plan)) /* the rows, of which there are enough for more, are not counted yet */
        return plan->spec.lanes ? plan->spec.lanes : lanes_most(plan);
    return job_lanes(plan->spec.lanes, lanes_most(plan), plan->spec.batch_size,
                     (uint64_t)parameters);
}

/* The speed of W workers: the busiest has L/W lanes, rounded up. Numbers of
 * workers that are left out are as fast as the number before them, almost. */
static void explain_speed_up(struct explanation *explanation, const char *what, uint32_t lanes)
{
    struct text *out = &explanation->detail;
    double said = 0;

    for (uint32_t workers = 1; workers <= lanes || workers <= SPEEDUP_WORKERS; workers++) {
        double speed = (double)lanes / ((lanes + workers - 1) / workers);
        bool is_step = speed >= said * 9 / 8 || (workers == lanes && speed > said);

        if (workers > SPEEDUP_WORKERS && !is_step)
            continue;
        text_printf(out, "%s%u: %.2f", workers > 1 ? ", " : "", workers, speed);
        said = speed;
    }
    explanation_line(explanation, what);
}

/* The more words there are, the larger is the model, and the fewer are its lanes. */
static void explain_lanes(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    struct text *out = &explanation->detail;
    const struct kind_shape one = shape_of(plan), all = shape_most(plan);
    const double few = cost_of(plan, &one).parameters, many = cost_of(plan, &all).parameters;
    const uint32_t most = lanes_of(plan, few), least = lanes_of(plan, many);

    if (plan->spec.servers > 0) /* explain_servers says it */
        return;
    text_printf(out, "%u", most);
    if (plan->spec.lanes == 0)
        text_printf(out, ": one for every %u rows%s, at least 1, at most %u",
                    job_lane_rows((uint64_t)few), has_batches(plan) ? " of the batch" : "",
                    lanes_most(plan));
    if (least != most)
        text_printf(out, "; %u with all words, one for every %u rows", least,
                    job_lane_rows((uint64_t)many));
    explanation_line(explanation, "lanes");

    explain_speed_up(explanation, "speed-up by workers", most);
    if (least != most)
        explain_speed_up(explanation, "speed-up with all words", least);
}

/* Lanes are what can be shared out. */
static void explain_idle(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    const struct kind_shape shape = shape_of(plan);
    const uint32_t lanes = lanes_of(plan, cost_of(plan, &shape).parameters);

    if (plan->spec.servers == 0 && plan->spec.max_workers > lanes)
        text_printf(&explanation->detail,
                    "; %u can work, one for each lane of a step: raise %sjob.lanes", lanes,
                    has_batches(plan) ? "train.batch_size or " : "");
}

/* Bytes that one worker may use; 0: the statement does not say. */
static double memory_of_worker(const struct plan *plan)
{
    double bytes = 0;

    if (!plan->cluster.is_wanted)
        return (double)plan->spec.memory;
    return memory_size_read(plan->cluster.memory, &bytes) ? bytes : 0;
}

/* Appends the bytes that the model leaves for rows. */
static void append_left(const struct plan *plan, double there, struct text *out)
{
    const struct kind_shape shape = shape_of(plan);
    const struct kind_cost cost = cost_of(plan, &shape);
    const double left = there - bytes_of(plan, &cost);

    if (left <= 0) {
        text_append_string(out, ", less than the model needs");
        return;
    }
    text_append_string(out, ", of which ");
    text_append_string(out, finds_classes(plan) || has_words(plan) ? "at most " : "");
    bytes_append(out, left);
    text_append_string(out, " are left for rows");
}

static void explain_memory_of_worker(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    const double there = memory_of_worker(plan);
    struct text *out = &explanation->detail;

    if (there > 0)
        bytes_append(out, there);
    else
        text_append_string(out, plan->cluster.is_wanted
                                    ? "as job.worker_memory says"
                                    : "the machine's, or its container's limit, shared by the "
                                      "workers");
    if (there > 0 && plan->spec.servers == 0) /* else the model is not in it */
        append_left(plan, there, out);
    explanation_line(explanation, "memory of a worker");
}

static void explain_place(struct explanation *explanation)
{
    const struct jobspec *training = &explanation->plan->spec;
    struct text *out = &explanation->detail;

    text_append_string(out, explanation->plan->cluster.is_wanted ? "kubernetes" : "local");
    explanation_line(explanation, "where");
    if (!explanation->plan->wait) {
        text_printf(out, "the job writes its model by itself, into %.*s",
                    SLICE_FORMAT(explanation->plan->into_file));
        explanation_line(explanation, "detached");
    }
    text_printf(out, "%u", training->min_workers);
    if (training->max_workers > training->min_workers)
        text_printf(out, " to %u", training->max_workers);
    if (explanation->history.first > 0)
        text_printf(out, ", %u at first, as job %lld measured", explanation->history.first,
                    (long long)explanation->history.job);
    explain_idle(explanation);
    if (training->max_workers > training->min_workers && training->servers == 0)
        text_append_string(out, "; those that do not pay, as the job measures, are given back");
    explanation_line(explanation, "workers");
    if (training->threads > 0)
        text_printf(out, "%u", training->threads);
    else
        text_append_string(out, explanation->plan->cluster.is_wanted
                                    ? "as job.worker_cpu says, rounded up"
                                    : "the machine's cores, shared by the workers");
    explanation_line(explanation, "threads of a worker");
    explain_memory_of_worker(explanation);
    explain_servers(explanation);
    text_append_string(out, training->servers > 0
                                ? "no: workers push gradients as they have them, in another order "
                                  "each time"
                                : "yes");
    explanation_line(explanation, "reproducible");
}

static void explain_notices(struct explanation *explanation)
{
    const struct notice_list *notices = explanation->plan->notices;

    for (size_t i = 0; i < notices->count; i++) {
        notice_print(&notices->items[i], &explanation->detail);
        explanation_line(explanation, "notice");
    }
}

/* Attributes that the user set have a line each, all others one together. */
static void explain_attributes(struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    const char *comma = "";

    for (size_t i = 0; i < plan->attribute_count; i++) {
        const struct plan_attribute *attribute = &plan->attributes[i];

        const struct search_axis *axis = search_axis_of(plan->search, attribute->attribute);

        if (!attribute->is_set)
            continue;
        if (axis)
            search_axis_append(axis, &explanation->detail);
        else
            text_append(&explanation->detail, attribute->value);
        explanation_line(explanation, attribute->attribute->name);
    }
    for (size_t i = 0; i < plan->attribute_count; i++) {
        const struct plan_attribute *attribute = &plan->attributes[i];

        if (attribute->is_set)
            continue;
        text_printf(&explanation->detail, "%s%s = %.*s", comma, attribute->attribute->name,
                    SLICE_FORMAT(attribute->value));
        comma = ", ";
    }
    if (comma[0])
        explanation_line(explanation, "defaults");
}

enum status plan_explain(const struct plan *plan, uint64_t rows, const struct plan_history *history,
                         struct arena *arena, struct plan_line **lines, size_t *count,
                         struct error *err)
{
    size_t most = plan->input_count + plan->attribute_count + plan->notices->count +
                  explain_graph_lines(plan) + LINES_EXTRA;
    struct explanation explanation;

    if (plan->kind != STATEMENT_TRAIN)
        return explain_scoring(plan, arena, lines, count, err);
    TRY(explanation_begin(&explanation, plan, arena, most, err));
    if (history)
        explanation.history = *history;
    explain_model(&explanation);
    explain_inputs(&explanation);
    explain_excepted(&explanation);
    explain_label(&explanation);
    explain_roles(&explanation);
    explain_inside(&explanation);
    explain_graph(&explanation);
    explain_work(&explanation, rows);
    explain_notices(&explanation);
    explain_attributes(&explanation);
    explain_place(&explanation);
    explain_parameters(&explanation);
    explain_lanes(&explanation);
    return explanation_end(&explanation, lines, count, err);
}
