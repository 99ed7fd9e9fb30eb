#include "extension/engine/score/explain/inside_run.h"

#include "extension/engine/score/evaluation.h"
#include "extension/engine/score/score.h"

enum status inside_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                           size_t *count, struct error *err)
{
    const char *const *columns = plan->inside->columns(plan->model.task);

    for (*count = 0; columns[*count];)
        ++*count;
    *names = ARENA_NEW(arena, struct slice, *count);
    if (!*names)
        return fail_no_memory(err);
    for (size_t i = 0; i < *count; i++)
        (*names)[i] = slice_of(columns[i]);
    return STATUS_OK;
}

enum status inside_run(const struct host *host, const struct plan *plan, const struct model *model,
                       struct arena *arena, const struct sink *sink, struct error *err)
{
    const double started = score_seconds_now();
    struct evaluation_rows rows;
    struct cell *cells;

    TRY(inside_columns(plan, arena, &rows.names, &rows.columns, err));
    TRY(plan->inside->rows(model, arena, &cells, &rows.rows, err));
    rows.cells = cells;
    return evaluation_put(host, plan, &rows, started, sink, err);
}
