#include "extension/engine/score/forecast_run.h"

#include "codegen/lower_forecast.h"
#include "extension/engine/score/score.h"

static enum status fill_table(const struct host *host, const struct plan *plan, struct slice select,
                              const struct sink *sink, struct error *err)
{
    const double started = score_seconds_now();
    enum status status;
    struct text create;

    TRY(score_check_targets(host, plan, err));
    text_init(&create, TEXT_MAXIMUM);
    status = lower_forecast_table(plan, &create, err);
    if (status == STATUS_OK) {
        struct fill fill = {
            .target = score_target(plan), .create = text_slice(&create), .select = select};

        fill.target.sink = sink;
        status = host->tables->fill(host->self, SLICE(""), &fill, 1, err);
        if (status == STATUS_OK)
            status = score_target_row(plan->target_table, fill.rows, started, sink, err);
    }
    text_deinit(&create);
    return status;
}

enum status forecast_statement_run(const struct host *host, const struct plan *plan,
                                   const struct sink *sink, struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    status = lower_forecast(plan, &sql, err);
    if (status == STATUS_OK)
        status = host->rows->check_functions(host->self, err);
    if (status == STATUS_OK && plan->has_target)
        status = fill_table(host, plan, text_slice(&sql), sink, err);
    else if (status == STATUS_OK)
        status = host->rows->query(host->self, text_slice(&sql), sink, err);
    text_deinit(&sql);
    return status;
}
