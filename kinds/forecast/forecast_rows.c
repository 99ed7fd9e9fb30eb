#include "kinds/forecast/forecast_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "inputs/word_table.h"
#include "kinds/forecast/forecast_kind.h"
#include "kinds/forecast/forecast_name.h"

/* ---- what is asked for ---- */

enum status forecast_check_kind(const struct kind *kind, struct slice estimator, struct error *err)
{
    if (kind == &forecast_kind)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "the model is not a forecast but a %.*s", SLICE_FORMAT(estimator));
    return error_hint(err, "TO TRAIN Forecast makes one. Rows are predicted by TO PREDICT.");
}

enum status forecast_check_regressors(uint32_t regressors, const struct slice *columns,
                                      size_t count, struct slice label, struct error *err)
{
    struct text list;

    if (regressors == 0)
        return STATUS_OK;
    text_init(&list, TEXT_MAXIMUM);
    for (size_t i = 0; i < count; i++)
        text_printf(&list, "%s%.*s", i ? ", " : "", SLICE_FORMAT(columns[i]));
    fail(err, STATUS_INVALID, "the model has %u regressor%s, whose future values must be given",
         regressors, regressors > 1 ? "s" : "");
    error_hint(err, "Write SELECT %.120s%s FROM days_to_come TO PREDICT f.%.*s USING the model.",
               text_string(&list), list.size > 120 ? "..." : "",
               SLICE_FORMAT(slice_prefix(label, 40)));
    if (list.failed)
        fail_no_memory(err);
    text_deinit(&list);
    return err->status;
}

enum status forecast_check_steps(const struct forecast_model *forecast, int64_t steps,
                                 struct error *err)
{
    if (steps >= 1 && steps <= forecast->horizon)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "the model forecasts 1 to %u steps, not %lld", forecast->horizon,
         (long long)steps);
    return steps < 1 ? error_hint(err, "Without a number it is all of them.")
                     : error_hint(err, "Train it with a larger forecast.horizon: %lld.",
                                  (long long)steps);
}

enum status forecast_check_level(double level, struct error *err)
{
    if (level >= FORECAST_LEVEL_LEAST && level <= FORECAST_LEVEL_MOST)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "a level is a number from %g to %g", FORECAST_LEVEL_LEAST,
         FORECAST_LEVEL_MOST);
    return error_hint(err, "It is the share of future values between the bounds, such as 0.9.");
}

/* ---- the order of the series ---- */

struct ranked_word {
    struct slice text;
    double value; /* value in a column of numbers; else 0 */
    uint32_t id;
};

static int compare_words(const void *a, const void *b)
{
    const struct ranked_word *left = a, *right = b;

    if (left->value != right->value)
        return left->value < right->value ? -1 : 1;
    return slice_compare(left->text, right->text);
}

static void read_values(struct ranked_word *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!slice_to_real(words[i].text, &words[i].value) || !isfinite(words[i].value)) {
            for (uint32_t j = 0; j <= i; j++)
                words[j].value = 0;
            return;
        }
}

/* ranks (word_count + 1): of a word's id, behind 0, which is of NULL. */
static enum status rank_words(const struct transform_input *input, uint32_t *ranks,
                              struct error *err)
{
    struct ranked_word *words = calloc((size_t)input->word_count + 1, sizeof *words);

    if (!words)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < input->word_count; i++)
        words[i] = (struct ranked_word){.text = input->words[i], .id = i};
    read_values(words, input->word_count);
    qsort(words, input->word_count, sizeof *words, compare_words);
    for (uint32_t i = 0; i < input->word_count; i++)
        ranks[words[i].id] = i + 1;
    free(words);
    return STATUS_OK;
}

static uint32_t rank_of(const struct model *model, const uint32_t *ranks, uint32_t series,
                        uint32_t group)
{
    const struct forecast_model *forecast = forecast_of(model);
    const float id = forecast->ids[(size_t)series * forecast->groups + group];

    return id >= 0 && id < (float)model->transform.inputs[group].word_count ? ranks[(uint32_t)id]
                                                                            : 0;
}

/* Counts how many series have each rank, and deals them out in the order that they have. `starts`
 * (ranks + 1) is zero. */
static void deal(const struct model *model, uint32_t group, const uint32_t *ranks, uint32_t *starts,
                 const uint32_t *from, uint32_t *to)
{
    const uint32_t series = forecast_of(model)->series;
    const uint32_t words = model->transform.inputs[group].word_count;

    for (uint32_t i = 0; i < series; i++)
        starts[rank_of(model, ranks, i, group) + 1]++;
    for (uint32_t i = 0; i <= words; i++)
        starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < series; i++)
        to[starts[rank_of(model, ranks, from[i], group)]++] = from[i];
}

static enum status order_by(const struct model *model, uint32_t group, uint32_t **order,
                            uint32_t **room, struct error *err)
{
    const struct transform_input *input = &model->transform.inputs[group];
    uint32_t *ranks = calloc((size_t)input->word_count + 1, sizeof *ranks);
    uint32_t *starts = calloc((size_t)input->word_count + 2, sizeof *starts);
    enum status status = ranks && starts ? rank_words(input, ranks, err) : fail_no_memory(err);
    uint32_t *dealt = *room;

    if (status == STATUS_OK) {
        deal(model, group, ranks, starts, *order, dealt);
        *room = *order;
        *order = dealt;
    }
    free(ranks);
    free(starts);
    return status;
}

/* By the last column first: the order of those behind stays where a column has the same word. */
static enum status order_series(struct forecast_rows *rows, const struct stop *stop,
                                struct error *err)
{
    const struct forecast_model *forecast = forecast_of(rows->model);
    uint32_t *room = calloc(forecast->series, sizeof *room);
    enum status status = STATUS_OK;

    rows->order = calloc(forecast->series, sizeof *rows->order);
    rows->series_count = forecast->series;
    if (!room || !rows->order)
        status = fail_no_memory(err);
    for (uint32_t i = 0; i < forecast->series && status == STATUS_OK; i++)
        rows->order[i] = i;
    for (uint32_t g = forecast->groups; g-- > 0 && status == STATUS_OK;) {
        status = stop_ask(stop, err);
        if (status == STATUS_OK)
            status = order_by(rows->model, g, &rows->order, &room, err);
    }
    free(room);
    return status;
}

/* ---- one series ---- */

/* A word without data is that of a total: no series of another model has one. */
static bool find_by_words(const struct model *model, const struct slice *words, uint32_t *series)
{
    const struct forecast_model *forecast = forecast_of(model);
    int32_t ids[FORECAST_GROUPS_MAX];

    for (uint32_t i = 0; i < forecast->groups; i++) {
        const struct transform_input *input = &model->transform.inputs[i];
        const int32_t id = words[i].data ? word_id(input, words[i]) : (int32_t)input->first_id - 1;

        if (id < 0 && words[i].data)
            return false;
        ids[i] = id - (int32_t)input->first_id;
    }
    return forecast_find(forecast, ids, series);
}

static enum status find_series(const struct model *model, struct slice name, uint32_t *series,
                               bool *is_there, struct error *err)
{
    struct slice words[FORECAST_GROUPS_MAX];
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = forecast_name_words(forecast_of(model)->groups, name, &arena, words, is_there, err);
    if (status == STATUS_OK && *is_there)
        *is_there = find_by_words(model, words, series);
    arena_deinit(&arena);
    return status;
}

static enum status order_one(struct forecast_rows *rows, struct slice name, struct error *err)
{
    bool is_there;

    rows->order = calloc(1, sizeof *rows->order);
    if (!rows->order)
        return fail_no_memory(err);
    TRY(find_series(rows->model, name, rows->order, &is_there, err));
    rows->series_count = is_there ? 1 : 0;
    return STATUS_OK;
}

/* ---- rows ---- */

enum status forecast_rows_open(struct forecast_rows *rows, const struct model *model,
                               const struct forecast_ask *ask, const struct stop *stop,
                               struct error *err)
{
    const struct forecast_model *forecast;
    enum status status;

    *rows = (struct forecast_rows){.model = model, .series = UINT32_MAX};
    TRY(forecast_check_kind(model->kind, model->estimator, err));
    forecast = forecast_of(model);
    if (!ask->is_of_names)
        TRY(forecast_check_regressors(forecast->regressors, model->transform.columns,
                                      model->transform.column_count, model->label, err));
    if (ask->steps)
        TRY(forecast_check_steps(forecast, *ask->steps, err));
    if (ask->level)
        TRY(forecast_check_level(*ask->level, err));
    rows->steps = ask->steps ? (uint32_t)*ask->steps : forecast->horizon;
    rows->interval = forecast_interval_of(ask->level ? *ask->level : forecast->level);
    text_init(&rows->name, TEXT_MAXIMUM);
    status = ask->series ? order_one(rows, *ask->series, err) : order_series(rows, stop, err);
    if (status != STATUS_OK)
        forecast_rows_close(rows);
    return status;
}

void forecast_rows_close(struct forecast_rows *rows)
{
    if (!rows->order)
        return;
    free(rows->order);
    text_deinit(&rows->name);
    rows->order = NULL;
}

bool forecast_rows_next(struct forecast_rows *rows)
{
    const struct forecast_model *forecast = forecast_of(rows->model);
    const uint64_t at = rows->next / rows->steps;

    if (at >= rows->series_count)
        return false;
    if (rows->series != rows->order[at])
        text_clear(&rows->name);
    rows->series = rows->order[at];
    rows->step = forecast_step_of(forecast, rows->series, (uint32_t)(rows->next % rows->steps) + 1,
                                  &rows->interval);
    rows->next++;
    return true;
}

enum status forecast_rows_group(const struct forecast_rows *rows, uint32_t group, struct cell *cell,
                                struct error *err)
{
    const struct slice word = forecast_word(rows->model, rows->series, group);
    int64_t integer;

    *cell = word.data ? cell_text(word) : cell_null();
    if (!word.data || !forecast_of(rows->model)->found->has_integers[group])
        return STATUS_OK;
    if (!forecast_is_integer(word, &integer))
        return fail(err, STATUS_CORRUPT, "model: a word of \"%.*s\" is no integer",
                    SLICE_FORMAT(rows->model->transform.inputs[group].spec.name));
    *cell = cell_integer(integer);
    return STATUS_OK;
}

static enum status name_series(struct forecast_rows *rows, uint32_t groups, struct error *err)
{
    cJSON *words = cJSON_CreateArray();
    enum status status;

    for (uint32_t i = 0; i < groups; i++) {
        const struct slice word = forecast_word(rows->model, rows->series, i);

        json_append(words, word.data ? json_string(word) : cJSON_CreateNull());
    }
    status = json_print(words, false, &rows->name, err);
    cJSON_Delete(words);
    return status;
}

enum status forecast_rows_series(struct forecast_rows *rows, struct cell *cell, struct error *err)
{
    const uint32_t groups = forecast_of(rows->model)->groups;

    *cell = cell_null();
    if (groups == 0)
        return STATUS_OK;
    if (groups == 1) {
        const struct slice word = forecast_word(rows->model, rows->series, 0);

        *cell = word.data ? cell_text(word) : cell_null();
        return STATUS_OK;
    }
    if (rows->name.size == 0)
        TRY(name_series(rows, groups, err));
    *cell = cell_text(text_slice(&rows->name));
    return STATUS_OK;
}

struct cell forecast_rows_time(const struct forecast_rows *rows, char buffer[TIME_BYTES])
{
    const enum forecast_times times = forecast_of(rows->model)->times;

    if (times == FORECAST_NUMBERS)
        return cell_integer(rows->step.time);
    time_print(times == FORECAST_DATES ? TIME_DATE : TIME_MOMENT, rows->step.time, "", buffer);
    return cell_string(buffer);
}
