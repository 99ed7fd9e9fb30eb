#include "planner/explain/explain_work.h"

#include <math.h>
#include <stdio.h>

#include "jobspec/job_size.h"
#include "planner/attributes/attributes.h"
#include "planner/plan/parameters.h"
#include "planner/training/auto_kinds.h"
#include "planner/training/search.h"

/* Seconds of one processor of a server of these years, measured and half as much again: within a
 * factor of three, which tells seconds from minutes and minutes from hours. */
#define SECONDS_START              0.05
#define SECONDS_OF_READING         4e-7 /* a row */
#define SECONDS_OF_CELL            4e-8 /* likewise */
#define SECONDS_OF_ROW             1e-7 /* in each epoch */
#define SECONDS_OF_MULTIPLICATIONS 7e-11
#define SECONDS_OF_PARAMETER       1.5e-9 /* in each step */

/* Memory of a worker besides that of its learner, measured likewise: its program; a staged row, and
 * each of its cells. */
#define BYTES_OF_WORKER 14e6
#define BYTES_OF_ROW    24
#define BYTES_OF_CELL   8

struct work {
    double rows;     /* 0: not known */
    bool is_exact;   /* else a guess */
    double training; /* rows that are not held out */
    uint32_t epochs; /* passes over these */
    double steps;    /* steps of an epoch */
    double total;    /* steps of all epochs */
};

static bool has_batches(const struct plan *plan)
{
    return estimator_uses(plan->estimator, attribute_find(SLICE("train.batch_size")));
}

static struct work work_of(const struct plan *plan, uint64_t rows_guess)
{
    const struct jobspec *spec = &plan->spec;
    const uint32_t sample = plan->query.sample_rows;
    struct work work = {.is_exact = sample < QUERY_SAMPLE_ROWS};
    struct job_held_out held_out;

    work.rows = work.is_exact ? sample : rows_guess > sample ? (double)rows_guess : 0;
    held_out = job_held_out(spec->test_size, plan->validation_select.size > 0,
                            job_needs_held_out(spec), plan->label.size > 0);
    work.training = work.rows;
    if (work.rows >= held_out.least_rows)
        work.training -= floor(work.rows * held_out.share);
    if (!has_batches(plan) || spec->batch_size == 0)
        return work;
    work.epochs = work.training > 0 ? epochs_of(plan, (uint64_t)work.training) : spec->epochs;
    work.steps = ceil(work.training / spec->batch_size);
    work.total = work.steps * work.epochs;
    if (spec->max_steps > 0 && work.total > (double)spec->max_steps)
        work.total = (double)spec->max_steps;
    return work;
}

/* 1234567 as "1,234,567". */
static void append_count(struct text *out, double count)
{
    char digits[40];
    const int size = snprintf(digits, sizeof digits, "%.0f", count);

    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0)
            text_append_char(out, ',');
        text_append_char(out, digits[i]);
    }
}

static void explain_rows(struct explanation *explanation, const struct work *work)
{
    struct text *out = &explanation->detail;

    if (work->rows > 0 || work->is_exact) {
        text_append_string(out, work->is_exact ? "" : "about ");
        append_count(out, work->rows);
    } else {
        text_printf(out, "%d or more", QUERY_SAMPLE_ROWS);
    }
    if (work->training < work->rows) {
        text_append_string(out, ", of which ");
        append_count(out, work->rows - work->training);
        text_append_string(out, " are held out");
    }
    explanation_line(explanation, "rows");
}

static void explain_steps(struct explanation *explanation, const struct work *work)
{
    const struct jobspec *spec = &explanation->plan->spec;
    struct text *out = &explanation->detail;

    if (!has_batches(explanation->plan) || (work->is_exact && work->rows == 0))
        return;
    if (work->rows > 0) {
        text_append_string(out, work->is_exact ? "" : "about ");
        append_count(out, work->total);
        text_append_string(out, ": ");
    }
    if (work->rows > 0) {
        text_printf(out, "%u epoch%s of ", work->epochs, work->epochs == 1 ? "" : "s");
        append_count(out, work->steps);
        text_append_string(out, work->steps == 1 ? " step," : " steps,");
    } else if (spec->epochs > 0) {
        text_printf(out, "%u epoch%s of all rows,", spec->epochs, spec->epochs == 1 ? "" : "s");
    } else {
        text_append_string(out, "as many epochs of all rows as train.epoch asks for,");
    }
    text_printf(out, " of up to %u rows each", spec->batch_size);
    if (spec->max_steps > 0)
        text_printf(out, ", and at most %llu in all", (unsigned long long)spec->max_steps);
    explanation_line(explanation, "steps");
}

static void explain_folds(struct explanation *explanation, const struct work *work)
{
    const uint32_t folds = explanation->plan->folds;
    struct text *out = &explanation->detail;

    if (folds == 0)
        return;
    text_printf(out, "%u jobs%s, each without ", folds,
                explanation->plan->search ? " of each trial" : "");
    if (work->rows > 0) {
        text_append_string(out, work->is_exact && fmod(work->rows, folds) == 0 ? "" : "about ");
        append_count(out, round(work->rows / folds));
        text_append_string(out, " rows");
    } else {
        text_append_string(out, "a fold of the rows");
    }
    text_append_string(out, ", by which it is measured; then the model of all rows");
    explanation_line(explanation, "folds");
}

static void explain_search(struct explanation *explanation)
{
    const struct search *search = explanation->plan->search;
    struct text *out = &explanation->detail;

    if (!search)
        return;
    text_printf(out, "%u trial%s%s, judged by %.*s of %s; then the model of the best",
                search->trials, search->trials == 1 ? "" : "s",
                search->method == SEARCH_HALVING
                    ? ", of which a third at a time goes on three times as long"
                    : "",
                SLICE_FORMAT(search->metric),
                explanation->plan->folds > 0            ? "the folds, in the mean"
                : search_is_held_out(explanation->plan) ? "the rows that are held out"
                                                        : "the rows that it learns from");
    if (explanation->plan->folds > 0)
        text_printf(out, ": %s%u trainings in all",
                    search->method == SEARCH_HALVING ? "up to " : "",
                    search_trainings(search) * explanation->plan->folds + 1);
    if (search->max_seconds > 0)
        text_printf(out, "; none begins after %g seconds", search->max_seconds);
    explanation_line(explanation, "search");
    if (!search->candidates)
        return;
    text_append_string(out, "each with its defaults first, then with drawn values: ");
    auto_append_kinds(search, out);
    explanation_line(explanation, "kinds");
}

/* Parameters that a step moves: no more words than its rows have. */
static double moved_of(const struct plan *plan, const struct kind_shape *shape)
{
    struct kind_shape moved = *shape;

    moved.id_rows = fmin(shape->id_rows, shape->ids * plan->spec.batch_size);
    return cost_of(plan, &moved).parameters;
}

/* Seconds of one job: its epochs, or the passes of a kind that has none. */
static double seconds_of_job(const struct plan *plan, const struct work *work,
                             const struct kind_shape *shape)
{
    const struct kind_cost cost = cost_of(plan, shape);
    const double row = SECONDS_OF_ROW + cost.multiplications * SECONDS_OF_MULTIPLICATIONS;
    const double reading = SECONDS_OF_READING + (double)(plan->input_count + 1) * SECONDS_OF_CELL;
    const double passes = work->steps > 0 ? work->total / work->steps : 1;

    if (!has_batches(plan))
        return SECONDS_START + work->rows * reading +
               (cost.learning + work->training * cost.row_learning) * SECONDS_OF_MULTIPLICATIONS;
    return SECONDS_START + work->rows * reading + work->training * passes * row +
           work->total * moved_of(plan, shape) * SECONDS_OF_PARAMETER;
}

/* Seconds of all jobs, those of a search as if all trials were like the first. The jobs of n folds
 * together learn from n - 1 times the rows. */
static double seconds_of(const struct plan *plan, const struct work *work,
                         const struct kind_shape *shape)
{
    const double one = seconds_of_job(plan, work, shape);

    if (plan->search)
        return one * (search_work(plan->search) * (plan->folds > 0 ? plan->folds - 1 : 1) + 1);
    return plan->folds == 0 ? one : one * plan->folds + SECONDS_START;
}

/* More digits would say more than is known. */
static double rounded_to(double value, double digits)
{
    const double digit = pow(10, floor(log10(value)) - digits + 1);

    return round(value / digit) * digit;
}

static double one_digit(double value)
{
    return rounded_to(value, 1);
}

static void append_digit(struct text *out, double value, const char *unit)
{
    const double rounded = one_digit(value);

    text_printf(out, "about %.0f %s%s", rounded, unit, rounded == 1 ? "" : "s");
}

static void append_time(struct text *out, double seconds)
{
    if (seconds < 1)
        text_append_string(out, "less than a second");
    else if (seconds < 90)
        append_digit(out, seconds, "second");
    else if (seconds < 90 * 60)
        append_digit(out, seconds / 60, "minute");
    else
        append_digit(out, seconds / 3600, "hour");
}

static void explain_time(struct explanation *explanation, const struct work *work)
{
    const struct plan *plan = explanation->plan;
    const struct kind_shape few = shape_expected(plan, work->training);
    struct kind_shape many = few;
    const double least = seconds_of(plan, work, &few);
    struct text *out = &explanation->detail;
    double most;

    many.id_rows = shape_most(plan).id_rows;
    most = seconds_of(plan, work, &many);
    if (work->rows == 0 || (!has_batches(plan) && cost_of(plan, &few).row_learning == 0))
        return;
    append_time(out, least);
    if (most > 2 && most > 2 * least) {
        text_append_string(out, "; with all words ");
        append_time(out, most);
    }
    text_append_string(out, ", on one processor");
    explanation_line(explanation, "expected time");
}

/* Seconds of all epochs at that speed; 0: how many rows there are, or epochs, is not known. */
static double seconds_at(const struct work *work, double row_seconds, uint32_t batch)
{
    const double rows = work->training * work->epochs;
    const double most = work->total * batch; /* train.max_steps */

    return row_seconds * (rows < most ? rows : most);
}

static void explain_speed(struct explanation *explanation, const struct work *work)
{
    const struct plan_history *history = &explanation->history;
    struct text *out = &explanation->detail;
    double speed, seconds;

    if (history->row_seconds <= 0)
        return;
    speed = 1 / history->row_seconds;
    seconds = seconds_at(work, history->row_seconds, explanation->plan->spec.batch_size);
    text_printf(out, "about %.*f rows a second with %u worker%s", speed < 10, rounded_to(speed, 2),
                history->workers, history->workers == 1 ? "" : "s");
    if (seconds > 0) {
        text_append_string(out, ", so ");
        append_time(out, seconds);
    }
    text_printf(out, ": %s job %lld", history->is_measured ? "measured by" : "estimated from",
                (long long)history->job);
    if (history->jobs > 1)
        text_printf(out, " and %u before it", history->jobs - 1);
    explanation_line(explanation, "expected speed");
}

/* The memory of a worker that has all rows, with its program, and the pages of staged rows that it
 * maps. */
static double memory_of(const struct plan *plan, const struct work *work)
{
    const struct kind_shape shape = shape_expected(plan, work->training);
    const struct kind_cost cost = cost_of(plan, &shape);
    const double own = cost.usual_bytes > 0 ? cost.usual_bytes + bytes_of(plan, &cost) - cost.bytes
                                            : bytes_of(plan, &cost);
    const double staged = BYTES_OF_ROW + (double)plan->input_count * BYTES_OF_CELL;

    return BYTES_OF_WORKER + own + work->training * cost.row_bytes + work->rows * staged;
}

/* Servers have the model of a job that has some. */
static void explain_expected_memory(struct explanation *explanation, const struct work *work)
{
    const struct plan *plan = explanation->plan;

    if (work->rows == 0 || plan->spec.servers > 0)
        return;
    text_printf(&explanation->detail, "about %.0f MiB for a worker that has all rows",
                one_digit(memory_of(plan, work) / (1 << 20)));
    explanation_line(explanation, "expected memory");
}

void explain_work(struct explanation *explanation, uint64_t rows_guess)
{
    const struct work work = work_of(explanation->plan, rows_guess);

    explain_rows(explanation, &work);
    explain_steps(explanation, &work);
    explain_folds(explanation, &work);
    explain_search(explanation);
    explain_time(explanation, &work);
    explain_speed(explanation, &work);
    explain_expected_memory(explanation, &work);
}
