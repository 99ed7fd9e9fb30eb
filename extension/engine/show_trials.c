#include "extension/engine/show_trials.h"

#include <math.h>

#include "base/json.h"
#include "scoring/tables/model_table.h"

/* One of the model's trials. */
struct shown_trial {
    int64_t number, epochs;
    struct slice state, metric, settings, error;
    double value, deviation;
};

/* NaN: there is none. */
static double real_of(const cJSON *json, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, name);

    return cJSON_IsNumber(value) ? value->valuedouble : (double)NAN;
}

static enum status read_trial(const cJSON *json, struct shown_trial *trial, struct error *err)
{
    TRY(json_get_integer(json, "trial", 1, INT32_MAX, &trial->number, err));
    TRY(json_get_integer(json, "epochs", 0, UINT32_MAX, &trial->epochs, err));
    TRY(json_get_string(json, "state", &trial->state, err));
    TRY(json_get_string(json, "metric", &trial->metric, err));
    TRY(json_get_string(json, "settings", &trial->settings, err));
    trial->value = real_of(json, "value");
    trial->deviation = real_of(json, "deviation");
    trial->error = SLICE("");
    return json_has(json, "error") ? json_get_string(json, "error", &trial->error, err) : STATUS_OK;
}

typedef enum status trial_taker(void *context, const struct shown_trial *trial, struct error *err);

static enum status each_trial(const struct model *model, trial_taker *take, void *context,
                              struct error *err)
{
    enum status status = STATUS_OK;
    const cJSON *json;
    cJSON *trials;

    if (model->trials_json.size == 0)
        return STATUS_OK;
    TRY(json_parse(model->trials_json, MODEL_META_BYTES_MAX, &trials, err));
    cJSON_ArrayForEach(json, trials)
    {
        struct shown_trial trial;

        status = read_trial(json, &trial, err);
        if (status == STATUS_OK)
            status = take(context, &trial, err);
        if (status != STATUS_OK)
            break;
    }
    cJSON_Delete(trials);
    return status;
}

static enum status put_trial(void *context, const struct shown_trial *trial, struct error *err)
{
    const struct cell row[SHOW_TRIALS_COLUMNS] = {
        cell_integer(trial->number),
        cell_text(trial->state),
        cell_text(trial->metric),
        cell_real(trial->value),
        trial->epochs > 0 ? cell_integer(trial->epochs) : cell_null(),
        cell_text(trial->settings),
        trial->error.size > 0 ? cell_text(trial->error) : cell_null(),
        isfinite(trial->deviation) ? cell_real(trial->deviation) : cell_null(),
    };

    return sink_row(context, row, SHOW_TRIALS_COLUMNS, err);
}

enum status show_trials_run(const struct host *host, const struct plan *plan, struct arena *arena,
                            const struct sink *sink, struct error *err)
{
    struct model model;

    TRY(host->models->load_meta(host->self, plan->model_schema, plan->model_name, arena, &model,
                                err));
    return each_trial(&model, put_trial, (void *)(uintptr_t)sink, err);
}

struct search_for_best {
    struct arena *arena;
    struct slice *settings;
};

static enum status take_best(void *context, const struct shown_trial *trial, struct error *err)
{
    const struct search_for_best *search = context;

    if (!slice_is(trial->state, "best"))
        return STATUS_OK;
    *search->settings = arena_copy(search->arena, trial->settings);
    return search->settings->data ? STATUS_OK : fail_no_memory(err);
}

enum status best_trial(const struct model *model, struct arena *arena, struct slice *settings,
                       struct error *err)
{
    struct search_for_best search = {arena, settings};

    *settings = SLICE("");
    return each_trial(model, take_best, &search, err);
}
