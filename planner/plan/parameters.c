#include "planner/plan/parameters.h"

#include <math.h>

#include "jobspec/job_size.h"
#include "kinds/forecast/holidays.h"
#include "planner/plan/planning.h"
#include "planner/plan/settings.h"

#define FEW_MOST 256 /* different values of a column that has few */
#define REPEATED                                                                                   \
    4 /* times that a value is in the sample, in the mean, where others are not to come */

/* Rows of the first layer that an input has whatever the rows of the table are; a category without
 * a vocabulary has one for NULL, too. */
double words_known(const struct plan_input *input)
{
    if (input->spec.type == INPUT_TEXT)
        return input->spec.vocabulary_max;
    return input->spec.rule == RULE_WORDS ? 1 : input->spec.vocabulary_max + 1.0;
}

/* Is no input before it of its CONCAT? */
static bool begins_concat(const struct plan *plan, size_t i)
{
    const uint32_t number = plan->inputs[i].spec.concat.number;
    size_t first = 0;

    while (first < i && plan->inputs[first].spec.concat.number != number)
        first++;
    return number == 0 || first == i;
}

struct kind_shape shape_of(const struct plan *plan)
{
    struct kind_shape shape = {.task = plan->estimator->task, .classes = plan->spec.n_classes};

    if (plan->query.sample_rows < QUERY_SAMPLE_ROWS)
        shape.rows = plan->query.sample_rows;
    if (plan->spec.holidays)
        shape.holidays = plan->spec.holidays->count;
    for (size_t i = 0; i < plan->input_count; i++) {
        const struct plan_input *input = &plan->inputs[i];

        if (input->spec.offset)
            continue;
        if (begins_concat(plan, i))
            kind_shape_add(&shape, input->spec.type, 1, input->spec.model_part,
                           input->spec.dimension);
        else
            kind_shape_join(&shape, input->spec.model_part);
        shape.counts += input->spec.list.form == LIST_WORDS;
        if (input->spec.type != INPUT_NUMERIC)
            shape.id_rows += words_known(input);
    }
    return shape;
}

/* A category has no more words than rows, where the sample was all of them; where it has more
 * than it may keep, a tenth of these for the others (runtime/data/dataset_learn.c); and one for
 * NULL. */
static double words_of_input(const struct plan *plan, const struct plan_input *input)
{
    const struct query *query = &plan->query;
    const double most = input->spec.vocabulary_max;

    if (input->spec.type == INPUT_TEXT || input->spec.rule != RULE_WORDS)
        return words_known(input);
    if (query->sample_rows < QUERY_SAMPLE_ROWS && query->sample_rows <= most)
        return query->sample_rows + 1.0;
    return most + (most >= 10 ? floor(most / 10) : 1) + 1;
}

struct kind_shape shape_most(const struct plan *plan)
{
    struct kind_shape shape = shape_of(plan);

    shape.id_rows = 0;
    for (size_t i = 0; i < plan->input_count; i++)
        if (plan->inputs[i].spec.type != INPUT_NUMERIC)
            shape.id_rows += words_of_input(plan, &plan->inputs[i]);
    return shape;
}

/* The column of the SELECT that the input takes as it is; NULL: there is none. */
static const struct query_column *column_of(const struct plan *plan, const struct plan_input *input)
{
    const bool is_whole = input->column >= 0 && (size_t)input->column < plan->query.count &&
                          !input->spec.part && !input->spec.cross && !input_shares(&input->spec);

    return is_whole ? &plan->query.columns[input->column] : NULL;
}

/* Values that are repeated in the sample are all that there are. */
static bool are_all(const struct plan *plan, double values, double cells)
{
    return plan->query.sample_rows < QUERY_SAMPLE_ROWS || values * REPEATED <= cells;
}

/* Values that the sample has not seen are at least as many as Chao's estimate says, which for
 * words of about as many rows each is how many there are: once * once / (2 * twice). Half as many
 * again leave room for rare ones. */
static double unseen_most(const struct query_column *column)
{
    const double once = (double)column->once_values, twice = (double)column->twice_values;

    if (once == 0 && twice == 0)
        return INFINITY;
    return 1.5 * (twice > 0 ? once * once / (2 * twice) : once * (once - 1) / 2);
}

/* Else more rows have more of them, by the root as many, where so many may be unseen. */
static double words_expected(const struct plan *plan, const struct plan_input *input, double rows)
{
    const struct query_column *column = column_of(plan, input);
    const double most = words_of_input(plan, input);
    double values, cells;

    if (!column || input->spec.type != INPUT_CATEGORY || input->spec.rule != RULE_WORDS)
        return words_known(input);
    values = column->distinct_values > 0 ? (double)column->distinct_values
                                         : (double)column->distinct_numbers;
    cells = column->distinct_values > 0 ? (double)column->distinct_cells
                                        : (double)column->integers + column->reals;
    if (values == 0)
        return words_known(input);
    if (rows > cells && !are_all(plan, values, cells))
        values = fmin(values * sqrt(rows / cells), values + unseen_most(column));
    return fmin(values + 1, most);
}

static void add_few(const struct plan *plan, const struct plan_input *input,
                    struct kind_shape *shape)
{
    const struct query_column *column = column_of(plan, input);
    const double values = column ? column->distinct_numbers : 0;

    if (input->spec.type != INPUT_NUMERIC || input->spec.offset || values == 0 ||
        values > FEW_MOST || !are_all(plan, values, (double)column->integers + column->reals))
        return;
    shape->few_columns++;
    shape->few_values += values;
}

struct kind_shape shape_expected(const struct plan *plan, double rows)
{
    struct kind_shape shape = shape_of(plan);

    shape.rows = rows;
    if (shape.task == TASK_CLASSIFICATION && shape.classes == 0 && plan->label_column >= 0)
        shape.classes = (uint32_t)fmin(
            (double)plan->query.columns[plan->label_column].distinct_values, UINT32_MAX);
    shape.id_rows = 0;
    for (size_t i = 0; i < plan->input_count; i++) {
        add_few(plan, &plan->inputs[i], &shape);
        if (plan->inputs[i].spec.type != INPUT_NUMERIC)
            shape.id_rows += words_expected(plan, &plan->inputs[i], rows);
    }
    return shape;
}

struct kind_cost cost_of(const struct plan *plan, const struct kind_shape *shape)
{
    return plan->estimator->kind->cost(&plan->spec.params, shape);
}

uint32_t epochs_of(const struct plan *plan, uint64_t rows)
{
    const struct kind *kind = plan->estimator->kind;

    if (!kind->length)
        return 0;
    return job_epochs(plan->spec.epochs, kind->length(&plan->spec.params, plan->estimator->task),
                      plan->spec.batch_size, rows);
}

double bytes_of(const struct plan *plan, const struct kind_cost *cost)
{
    return job_learner_bytes(cost, plan->spec.early_stopping > 0 || plan->spec.keeps_best, 0);
}

void bytes_append(struct text *out, double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;

    while (bytes >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        unit++;
    }
    text_printf(out, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}

static enum status refuse(const struct kind *kind, double parameters, double bytes, int position,
                          struct error *err)
{
    enum status status = STATUS_LIMIT;
    struct text needed;

    text_init(&needed, TEXT_MAXIMUM);
    bytes_append(&needed, bytes);
    fail_at(err, status, position,
            "a model of %.0f parameters would need %s, where at most %u GiB are possible",
            parameters, text_string(&needed), (unsigned)(JOB_LEARNER_BYTES_MAX >> 30));
    error_hint(err, "%s", kind->size_hint);
    if (needed.failed)
        status = fail_no_memory(err);
    text_deinit(&needed);
    return status;
}

/* The model could be trained, and not in the memory that the statement gives a worker. */
static enum status refuse_memory(const struct planning *planning, double parameters, double bytes)
{
    const struct plan *plan = planning->plan;
    const struct setting *memory = settings_find(planning, "job.memory");
    enum status status = STATUS_LIMIT;
    struct text needed;

    text_init(&needed, TEXT_MAXIMUM);
    bytes_append(&needed, bytes);
    fail_at(planning->err, status, memory->value.span.start,
            "a model of %.0f parameters needs %s (%.0f bytes) to train, and job.memory is %llu "
            "bytes",
            parameters, text_string(&needed), bytes, (unsigned long long)plan->spec.memory);
    error_hint(planning->err, "Raise job.memory. %s", plan->estimator->kind->size_hint);
    if (needed.failed)
        status = fail_no_memory(planning->err);
    text_deinit(&needed);
    return status;
}

/* On servers a model may be larger than any process; a stored one has a limit, too. */
static enum status check_stored(const struct kind *kind, double parameters, int position,
                                struct error *err)
{
    if (parameters <= (double)MODEL_PARAMETERS_MAX)
        return STATUS_OK;
    fail_at(err, STATUS_LIMIT, position,
            "a model of %.0f parameters, where at most %llu are possible", parameters,
            (unsigned long long)MODEL_PARAMETERS_MAX);
    return error_hint(err, "Use a smaller %s, or fewer words.", kind->size_attribute);
}

enum status parameters_check(const struct planning *planning)
{
    const struct kind *kind = planning->plan->estimator->kind;
    const struct setting *size =
        kind->size_attribute ? settings_find(planning, kind->size_attribute) : NULL;
    const struct kind_shape shape = shape_of(planning->plan);
    const struct kind_cost cost = cost_of(planning->plan, &shape);
    const struct jobspec *spec = &planning->plan->spec;
    /* Without the copy that 'auto' keeps: where it has no room there is none. */
    const double bytes = job_learner_bytes(&cost, spec->early_stopping > 0, 0);
    const int position = size ? size->value.span.start : planning->statement->model.position;

    if (spec->servers > 0)
        return check_stored(kind, cost.parameters, position, planning->err);
    if (bytes <= (double)job_learner_bytes_max(spec->memory))
        return STATUS_OK;
    if (bytes <= (double)JOB_LEARNER_BYTES_MAX)
        return refuse_memory(planning, cost.parameters, bytes);
    return refuse(kind, cost.parameters, bytes, position, planning->err);
}

enum status parameters_check_list(const struct planning *planning, const struct setting *list)
{
    const struct kind *kind = planning->plan->estimator ? planning->plan->estimator->kind : NULL;
    const struct value *value = &list->value;
    const struct value *items = value->kind == VALUE_LIST ? value->items : value;
    size_t count = value->kind == VALUE_LIST ? value->count : 1;
    double *numbers = ARENA_NEW(planning->arena, double, count + 1);
    struct kind_cost cost;

    if (!numbers)
        return fail_no_memory(planning->err);
    if (!kind || !kind->list_cost)
        return STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind != VALUE_NUMBER || !(items[i].number >= 1))
            return STATUS_OK; /* wrong in another way */
        numbers[i] = items[i].number;
    }
    cost = kind->list_cost(numbers, count);
    return cost.bytes > (double)JOB_LEARNER_BYTES_MAX
               ? refuse(kind, cost.parameters, cost.bytes, value->span.start, planning->err)
               : STATUS_OK;
}
