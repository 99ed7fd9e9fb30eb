#include "extension/engine/score/explain/explain_model.h"

#include "extension/engine/score/explain/dependence_run.h"
#include "extension/engine/score/explain/importance_run.h"
#include "extension/engine/score/explain/inside_run.h"
#include "extension/engine/score/explain/series_parts.h"
#include "extension/engine/score/explain/shap_run.h"
#include "extension/engine/score/score.h"

enum status explain_model_columns(const struct plan *plan, struct arena *arena,
                                  struct slice **names, size_t *count, struct error *err)
{
    if (plan->explains_series)
        return series_parts_columns(plan, arena, names, count, err);
    if (plan->inside)
        return inside_columns(plan, arena, names, count, err);
    if (plan->explain_by_dependence)
        return dependence_columns(plan, arena, names, count, err);
    if (plan->explain_by_shap)
        return shap_columns(plan, arena, names, count, err);
    return importance_columns(plan, arena, names, count, err);
}

/* The plan was made of what the model was then. */
static enum status explain_with(const struct host *host, const struct plan *plan,
                                const struct model *model, struct arena *arena,
                                const struct sink *sink, struct error *err)
{
    if (model->task != plan->model.task || model->kind != plan->model.kind ||
        model->transform.column_count != plan->model.input_count)
        return fail(err, STATUS_STALE, "the model was replaced meanwhile: run the statement again");
    if (plan->explains_series)
        return series_parts_run(host, plan, model, arena, sink, err);
    if (plan->inside)
        return inside_run(host, plan, model, arena, sink, err);
    if (plan->explain_by_dependence)
        return dependence_run(host, plan, model, arena, sink, err);
    if (plan->explain_by_shap)
        return shap_run(host, plan, model, arena, sink, err);
    return importance_run(host, plan, model, arena, sink, err);
}

enum status explain_model_run(const struct host *host, const struct plan *plan, struct arena *arena,
                              const struct sink *sink, struct error *err)
{
    return score_with_model(host, plan, arena, sink, err, explain_with);
}
