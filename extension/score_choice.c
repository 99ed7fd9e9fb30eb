/*
 * Who scores: the session, or workers.
 *
 * A row that goes to workers is written, read and taken back: on the machine where this
 * was measured (docs/performance.md) that costs as much as 20,000 multiplications of a
 * model in PREDICT, which scores row by row in the session, and 150,000 in EVALUATE, which
 * scores many at once. Workers save what the session would compute, but for their
 * number's share of it.
 */
#include "engine/score_job.h"

#define PREDICT_WORK  20000.0
#define EVALUATE_WORK 150000.0
#define LEAST_WORK    1e10  /* in all: a third of a second, several times what processes cost */
#define LEAST_ROWS    10000 /* below it nobody looks at the model */

double score_work_per_row(const struct model *model)
{
    /* A category adds one row of the first layer. */
    double width = (double)model->transform.dense_width + model->transform.id_count, work = 0;

    for (uint32_t i = 0; i < model->layer_count; i++) {
        work += width * model->layers[i].width;
        width = model->layers[i].width;
    }
    return work;
}

bool score_pays(bool is_predict, uint64_t rows, double work_per_row, uint32_t cores)
{
    const double saved = work_per_row * (1 - 1.0 / (cores > 0 ? cores : 1));

    return saved > (is_predict ? PREDICT_WORK : EVALUATE_WORK) &&
           work_per_row * (double)rows > LEAST_WORK;
}

/* Whatever goes wrong here goes wrong again where it is reported. */
static double work_of(const struct host *host, const struct plan *plan)
{
    struct arena arena;
    struct error ignored;
    struct model model;
    double work = 0;

    arena_init(&arena, MODEL_ARENA_MAX);
    if (host->load_model(host->self, plan->model_schema, plan->model_name, &arena, &model,
                         &ignored) == STATUS_OK)
        work = score_work_per_row(&model);
    arena_deinit(&arena);
    return work;
}

static bool can_have_workers(const struct host *host, const struct plan *plan)
{
    if (!host->guess_rows || !host->program || !host->program[0])
        return false;
    return plan->kind == STATEMENT_EVALUATE || (plan->has_target && host->fill_rows);
}

static bool choose_workers(const struct host *host, const struct plan *plan,
                           const struct sink *sink)
{
    const uint32_t cores = launch_cores();
    uint64_t rows;

    if (cores < 2 || !can_have_workers(host, plan))
        return false;
    rows = host->guess_rows(host->self, plan->select);
    if (rows < LEAST_ROWS ||
        !score_pays(plan->kind == STATEMENT_PREDICT, rows, work_of(host, plan), cores))
        return false;
    sink_notice(sink, "about %llu rows are scored by %u workers", (unsigned long long)rows, cores);
    return true;
}

/* No room for a job's files is no reason not to score where nobody asked for a job. */
static bool is_about_files(enum status status)
{
    return status == STATUS_IO || status == STATUS_PERMISSION || status == STATUS_NOT_FOUND ||
           status == STATUS_LIMIT;
}

static enum status run_in_session(const struct host *host, const struct plan *plan,
                                  struct arena *arena, const struct sink *sink, struct error *err)
{
    return plan->kind == STATEMENT_PREDICT ? predict_run(host, plan, sink, err)
                                           : evaluate_run(host, plan, arena, sink, err);
}

enum status score_run(const struct host *host, const struct plan *plan, struct arena *arena,
                      const struct sink *sink, struct error *err)
{
    bool has_begun = false;
    enum status status;

    if (!plan->scoring.on_workers && !choose_workers(host, plan, sink))
        return run_in_session(host, plan, arena, sink, err);
    status = score_job_run(host, plan, arena, sink, &has_begun, err);
    if (plan->scoring.on_workers || has_begun || !is_about_files(status))
        return status;
    sink_notice(sink, "the session scores them: %s", err->message);
    error_clear(err);
    return run_in_session(host, plan, arena, sink, err);
}
