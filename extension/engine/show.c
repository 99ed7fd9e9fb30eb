/*
 * What SHOW and EXPLAIN return: rows about models, jobs and attributes.
 */
#include "extension/engine/show.h"

#include <stdlib.h>

#include "base/json.h"
#include "extension/engine/host/notice_rows.h"
#include "extension/engine/jobs/job_cache.h"
#include "extension/engine/score/score.h"
#include "extension/engine/score/score_choice.h"
#include "planner/attributes.h"
#include "planner/explain.h"
#include "planner/plan.h"
#include "runtime/launch/job_folder.h"

#define METRICS_JSON_BYTES_MAX ((size_t)1 << 20)

enum status explain_run(const struct host *host, const struct plan *plan, struct arena *arena,
                        const struct sink *sink, struct error *err)
{
    struct score_choice choice;
    struct plan_line *lines;
    size_t count;

    if (plan->kind != STATEMENT_TRAIN) /* what would not be written is not explained */
        TRY(score_check_targets(host, plan, err));
    TRY(plan_explain(plan, arena, &lines, &count, err));
    for (size_t i = 0; i < count; i++)
        TRY(sink_row(sink, (struct cell[]){cell_text(lines[i].item), cell_text(lines[i].detail)}, 2,
                     err));
    if (plan->kind != STATEMENT_TRAIN) {
        score_choose(host, plan, &choice);
        TRY(sink_row(sink, (struct cell[]){cell_string("scored by"), cell_string(choice.why)}, 2,
                     err));
    }
    return notice_rows(plan->notices, 2, sink, err);
}

static enum status item_text(const struct sink *sink, const char *item, struct slice value,
                             struct error *err)
{
    return sink_row(sink, (struct cell[]){cell_string(item), cell_text(value)}, 2, err);
}

static enum status item_cell(const struct sink *sink, struct slice item, struct cell value,
                             struct error *err)
{
    return sink_row(sink, (struct cell[]){cell_text(item), value}, 2, err);
}

static enum status show_facts(const struct plan *plan, const struct model *model,
                              const struct sink *sink, struct error *err)
{
    TRY(item_text(sink, "model", plan->model_name, err));
    TRY(item_text(sink, "statement", model->statement, err));
    TRY(item_text(sink, "kind", model->estimator, err));
    if (task_has_label(model->task))
        TRY(item_text(sink, "label", model->label, err));
    TRY(item_cell(sink, SLICE("rows"), cell_integer((int64_t)model->rows), err));
    TRY(item_cell(sink, SLICE("version"), cell_integer(model->version), err));
    TRY(item_text(sink, "created_at", model->created_at, err));
    return item_text(sink, "digest", model->digest, err);
}

/* One row of TRAIN's result: "Accuracy, train" and "Accuracy, validation". */
static enum status show_metric(const cJSON *metric, struct arena *arena, const struct sink *sink,
                               struct error *err)
{
    static const char *const parts[] = {"train", "validation"};
    struct slice name;

    TRY(json_get_string(metric, "name", &name, err));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(metric, parts[i]);
        struct slice item;
        if (!cJSON_IsNumber(value))
            continue;
        item = arena_printf(arena, "%.*s, %s", SLICE_FORMAT(name), parts[i]);
        if (!item.data)
            return fail_no_memory(err);
        TRY(item_cell(sink, item, cell_real(value->valuedouble), err));
    }
    return STATUS_OK;
}

static enum status show_metrics(const struct model *model, struct arena *arena,
                                const struct sink *sink, struct error *err)
{
    enum status status = STATUS_OK;
    const cJSON *metric;
    cJSON *metrics;

    if (model->metrics_json.size == 0)
        return STATUS_OK;
    TRY(json_parse(model->metrics_json, METRICS_JSON_BYTES_MAX, &metrics, err));
    cJSON_ArrayForEach(metric, metrics)
    {
        status = show_metric(metric, arena, sink, err);
        if (status != STATUS_OK)
            break;
    }
    cJSON_Delete(metrics);
    return status;
}

struct history {
    struct arena *arena;
    const struct sink *sink;
};

/* epoch, step, metric, part, value -> "epoch 3, loss, train" */
static enum status history_row(void *self, const struct cell *cells, size_t count,
                               struct error *err)
{
    struct history *history = self;
    struct slice item;

    if (count < 5)
        return fail(err, STATUS_CORRUPT, "totrain_metrics lacks columns");
    item = arena_printf(history->arena, "epoch %lld, %.*s, %.*s", (long long)cells[0].integer,
                        SLICE_FORMAT(cells[2].text), SLICE_FORMAT(cells[3].text));
    if (!item.data)
        return fail_no_memory(err);
    return item_cell(history->sink, item, cells[4], err);
}

enum status show_train_run(const struct host *host, const struct plan *plan, struct arena *arena,
                           const struct sink *sink, struct error *err)
{
    struct history history = {arena, sink};
    struct sink rows = {.self = &history, .row = history_row};
    struct model model;

    TRY(host->models->load_meta(host->self, plan->model_schema, plan->model_name, arena, &model,
                                err));
    TRY(show_facts(plan, &model, sink, err));
    TRY(show_metrics(&model, arena, sink, err));
    TRY(host->models->list_metrics(host->self, plan->model_schema, plan->model_name, &model, &rows,
                                   err));
    return notice_rows(model.notices, 2, sink, err);
}

static enum status show_job(const struct host *host, struct job_cache *cache, int64_t id,
                            const struct sink *sink, struct error *err)
{
    struct job_status job;

    if (!job_status_list(host, cache, id, &job))
        return STATUS_OK;
    return sink_row(sink,
                    (struct cell[]){cell_integer(id), cell_string(job_state_name(job.state)),
                                    cell_string(job.row.model), cell_string(job.row.started_at),
                                    cell_real(job.row.seconds), cell_string(job.row.statement),
                                    job.error[0] ? cell_string(job.error) : cell_null()},
                    7, err);
}

enum status show_jobs_run(const struct host *host, const struct sink *sink, struct error *err)
{
    int64_t *ids = NULL;
    size_t count = 0;
    enum status status = STATUS_OK;
    struct job_cache *cache;

    TRY(job_folder_list(host->session.state, &ids, &count, err));
    cache = job_cache_open(host->session.state);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = show_job(host, cache, ids[i], sink, err);
    job_cache_close(cache);
    free(ids);
    return status;
}

static const char *attribute_type_name(enum attribute_type type)
{
    switch (type) {
    case ATTRIBUTE_INTEGER:
        return "integer";
    case ATTRIBUTE_REAL:
        return "real";
    case ATTRIBUTE_BOOLEAN:
        return "boolean";
    case ATTRIBUTE_WORD:
        return "word";
    case ATTRIBUTE_TEXT:
        return "text";
    case ATTRIBUTE_LABEL:
        return "label";
    case ATTRIBUTE_MEMORY:
        return "memory";
    case ATTRIBUTE_INTEGERS:
        return "integers";
    default:
        return "words";
    }
}

enum status show_attributes_run(const struct plan *plan, const struct sink *sink, struct error *err)
{
    const struct estimator *estimator = NULL;
    const struct attribute *attribute;

    if (plan->attributes_for.size > 0) {
        struct name name = {.text = plan->attributes_for, .position = -1};
        TRY(estimator_find(&name, &estimator, err));
    }
    for (size_t i = 0; (attribute = attribute_number(i)); i++) {
        if (estimator && !estimator_uses(estimator, attribute))
            continue;
        TRY(sink_row(
            sink,
            (struct cell[]){
                cell_string(attribute->name), cell_string(attribute_type_name(attribute->type)),
                attribute->default_value ? cell_string(attribute->default_value) : cell_null(),
                cell_string(attribute->help)},
            4, err));
    }
    return STATUS_OK;
}
