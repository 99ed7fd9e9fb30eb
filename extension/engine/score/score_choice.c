/*
 * Which processes score: the session, or workers.
 *
 * A row that goes to workers is written, read and taken back: on the machine where this
 * was measured (docs/performance.md) that costs as much as 20,000 multiplications of a
 * model in PREDICT, which scores row by row in the session, and 150,000 in EVALUATE, which
 * scores many at once. PREDICT in PostgreSQL writes rows and predictions into tables of
 * their own and joins them: 200,000. Workers save what the session would compute, but for
 * their number's share of it.
 */

#include "extension/engine/score/score_choice.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "extension/engine/score/evaluate_run.h"
#include "extension/engine/score/score.h"
#include "extension/engine/score/score_job.h"
#include "extension/engine/score/unfamiliar_count.h"
#include "runtime/launch/processor.h"

#define LEAST_WORK 1e10  /* in all: a third of a second, several times what processes cost */
#define LEAST_ROWS 10000 /* with fewer it is not even weighed */

bool score_pays(double transfer_cost, uint64_t rows, double work_per_row, uint32_t cores)
{
    const double saved = work_per_row * (1 - 1.0 / (cores > 0 ? cores : 1));

    return saved > transfer_cost && work_per_row * (double)rows > LEAST_WORK;
}

uint32_t score_most_workers(uint32_t wanted, uint32_t least, uint32_t cores, uint32_t limit)
{
    uint32_t most = cores;

    if (wanted > 0)
        return wanted;
    if (limit > 0 && most > limit)
        most = limit;
    return most < least ? least : most;
}

static void choose(struct score_choice *choice, bool by_workers, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void choose(struct score_choice *choice, bool by_workers, const char *format, ...)
{
    va_list arguments;

    choice->by_workers = by_workers;
    va_start(arguments, format);
    vsnprintf(choice->why, sizeof choice->why, format, arguments);
    va_end(arguments);
}

static double transfer_cost_of(const struct host *host, const struct plan *plan)
{
    if (plan->kind != STATEMENT_PREDICT)
        return SCORE_TRANSFER_EVALUATE;
    return host->kept_rows ? SCORE_TRANSFER_KEPT : SCORE_TRANSFER_PREDICT;
}

static void weigh(const struct host *host, const struct plan *plan, uint32_t cores,
                  struct score_choice *choice)
{
    const unsigned long long rows = host->rows->guess(host->self, plan->select);
    const double work = plan->model.multiplications;

    if (rows == 0) {
        choose(choice, false,
               "the session: how many rows a SELECT has is known only of a table's columns");
        return;
    }
    if (rows < LEAST_ROWS) {
        choose(choice, false, "the session: a table of about %llu rows is small", rows);
        return;
    }
    if (score_pays(transfer_cost_of(host, plan), rows, work, cores))
        choose(choice, true, "workers: about %llu rows, %.0f multiplications each, %u cores", rows,
               work, cores);
    else
        choose(choice, false,
               "the session: about %llu rows of %.0f multiplications each do not pay for processes",
               rows, work);
}

void score_choose(const struct host *host, const struct plan *plan, struct score_choice *choice)
{
    const uint32_t cores = launch_cores();
    const bool is_large = plan->scoring.too_large.size > 0;

    if (plan->scoring.on_workers)
        choose(choice, true, "workers, as job.* says");
    else if (score_gives_rows(plan) && !is_large)
        choose(choice, false, "the session: its rows are wanted one by one");
    else if (plan->report == REPORT_DRIFT)
        choose(choice, false, "the session: it counts what the rows have");
    else if (plan->other_count > 0)
        choose(choice, false, "the session: it reads the rows once for all models");
    else if (!host->session.program || !host->session.program[0])
        choose(choice, false, "the session: the database leaves it no choice");
    else if (is_large)
        choose(choice, true, "workers: the session has no room for the model");
    else if (host->catalog.limits.no_processes)
        choose(choice, false, "the session: this role starts no processes");
    else if (cores < 2)
        choose(choice, false, "the session: there is one core");
    else
        weigh(host, plan, cores, choice);
}

/* No room for a job's files is no reason not to score where the statement did not ask for a job. */
static bool is_about_files(enum status status)
{
    return status == STATUS_IO || status == STATUS_PERMISSION || status == STATUS_NOT_FOUND ||
           status == STATUS_LIMIT;
}

/* Where rows are written, or are a query of the host's, none of them passes here. */
static enum status predict_and_count(const struct host *host, const struct plan *plan,
                                     const struct sink *sink, struct unfamiliar_count *unfamiliar,
                                     struct error *err)
{
    struct sink counted = *sink;

    if (plan->has_target) {
        TRY(predict_run(host, plan, sink, err));
        return unfamiliar_count_target(host, unfamiliar, err);
    }
    if (sink->query)
        return predict_run(host, plan, sink, err);
    unfamiliar->to = sink;
    counted.self = unfamiliar;
    counted.columns = unfamiliar_count_columns;
    counted.row = unfamiliar_count_pass;
    counted.notice = NULL;
    counted.progress = NULL;
    return predict_run(host, plan, &counted, err);
}

/* Rows behind the sample show NULLs that it did not. */
static enum status predict_and_note(const struct host *host, const struct plan *plan,
                                    struct arena *arena, const struct sink *sink, struct error *err)
{
    const size_t told = plan->notices->count;
    struct unfamiliar_count unfamiliar;

    TRY(unfamiliar_count_init(host, plan, NULL, arena, &unfamiliar, err));
    TRY(predict_and_count(host, plan, sink, &unfamiliar, err));
    unfamiliar_count_note(&unfamiliar);
    return score_put_notices(plan, told, sink, err);
}

static enum status run_in_session(const struct host *host, const struct plan *plan,
                                  struct arena *arena, const struct sink *sink, struct error *err)
{
    return plan->kind == STATEMENT_PREDICT ? predict_and_note(host, plan, arena, sink, err)
                                           : evaluate_run(host, plan, arena, sink, err);
}

/* Those who may not make a job's tables, or have no folder for it, learn what it would be for. */
static enum status explain_need(const struct plan *plan, struct error *err)
{
    if (plan->scoring.too_large.size == 0 || err->hint[0] || !is_about_files(err->status))
        return err->status;
    return error_hint(err, "Workers were to score the rows: the model %.*s.",
                      SLICE_FORMAT(plan->scoring.too_large));
}

enum status score_run(const struct host *host, const struct plan *plan, struct arena *arena,
                      const struct sink *sink, struct error *err)
{
    struct score_choice choice;
    bool has_begun = false;
    enum status status;

    score_choose(host, plan, &choice);
    /* EVALUATE in the session has them in its result, each model's in its row. */
    if (choice.by_workers || plan->kind == STATEMENT_PREDICT)
        TRY(score_put_notices(plan, 0, sink, err));
    if (!choice.by_workers)
        return run_in_session(host, plan, arena, sink, err);
    if (plan->scoring.too_large.size > 0)
        sink_notice(sink, "the rows are scored by workers: the model %.*s",
                    SLICE_FORMAT(plan->scoring.too_large));
    else if (!plan->scoring.on_workers)
        sink_notice(sink, "the rows are scored by %s", choice.why);
    status = score_job_run(host, plan, arena, sink, &has_begun, err);
    if (status == STATUS_OK)
        return STATUS_OK;
    if (plan->scoring.on_workers || plan->scoring.too_large.size > 0 || has_begun ||
        !is_about_files(status))
        return has_begun ? status : explain_need(plan, err);
    sink_notice(sink, "the session scores them: %s", err->message);
    error_clear(err);
    return run_in_session(host, plan, arena, sink, err);
}
