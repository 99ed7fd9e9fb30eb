#include "kinds/forecast/forecast_one.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/forecast/forecast_kind.h"
#include "kinds/forecast/forecast_name.h"
#include "kinds/forecast/forecast_stored.h"
#include "scoring/tables/model_meta.h"

#define CHUNK_FLOATS (MODEL_CHUNK_BYTES / sizeof(float))

struct one {
    model_fetch *fetch;
    void *self;
    struct arena *arena;
    struct model *model;
    struct forecast_model *forecast;
    struct slice words[FORECAST_GROUPS_MAX]; /* without data: of a total over the column */
    int32_t ids[FORECAST_GROUPS_MAX];

    /* the chunk that was read last */
    float *chunk; /* (CHUNK_FLOATS) */
    const struct model_array *of;
    uint64_t number, bytes; /* bytes: its size; 0: it has not come */
};

static bool is_of(const struct model_row *row, const struct model_wish *wish)
{
    return slice_equal(row->part, wish->part) && slice_equal(row->name, wish->name) &&
           row->position >= wish->first && row->position < wish->end;
}

/* ---- chunks ---- */

struct taking {
    struct one *one;
    const struct model_wish *wish;
};

static enum status take_chunk(void *context, const struct model_row *row, struct error *err)
{
    const struct taking *taking = context;
    struct one *one = taking->one;
    const uint64_t all = one->of->rows * one->of->width * sizeof(float);
    const uint64_t left = all - one->number * MODEL_CHUNK_BYTES;
    const size_t bytes = left < MODEL_CHUNK_BYTES ? (size_t)left : MODEL_CHUNK_BYTES;

    if (!is_of(row, taking->wish))
        return STATUS_OK;
    if (!row->has_data || row->data.size != sizeof(uint64_t) + bytes)
        return fail(err, STATUS_CORRUPT, "model: a chunk of %s has another size than its shape",
                    one->of->name);
    TRY(model_chunk_check(row, err));
    memcpy(one->chunk, row->data.data + sizeof(uint64_t), bytes);
    one->bytes = bytes;
    return STATUS_OK;
}

static enum status read_chunk(struct one *one, const struct model_array *array, uint64_t number,
                              struct error *err)
{
    const struct model_wish wish = {.part = SLICE("tensor"),
                                    .name = slice_of(array->name),
                                    .first = (int64_t)number,
                                    .end = (int64_t)number + 1};
    struct taking taking = {one, &wish};

    if (one->of && strcmp(one->of->name, array->name) == 0 && one->number == number)
        return STATUS_OK;
    one->of = array;
    one->number = number;
    one->bytes = 0;
    TRY(one->fetch(one->self, &wish, take_chunk, &taking, err));
    return one->bytes > 0 ? STATUS_OK
                          : fail(err, STATUS_CORRUPT, "model: %s lacks a chunk", array->name);
}

/* Reads the elements [first, first + count) of an array. */
static enum status read_floats(struct one *one, const struct model_array *array, uint64_t first,
                               uint64_t count, float *floats, struct error *err)
{
    for (uint64_t i = 0; i < count;) {
        const uint64_t at = (first + i) % CHUNK_FLOATS;
        const uint64_t here = count - i < CHUNK_FLOATS - at ? count - i : CHUNK_FLOATS - at;

        TRY(read_chunk(one, array, (first + i) / CHUNK_FLOATS, err));
        memcpy(floats + i, one->chunk + at, here * sizeof *floats);
        i += here;
    }
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(floats[i]))
            return fail(err, STATUS_CORRUPT, "model: %s has a number that is not finite",
                        array->name);
    return STATUS_OK;
}

/* ---- which series it is ---- */

struct looking {
    const struct model_wish *wish;
    int32_t id; /* -1: no such word has come */
};

static enum status take_word(void *context, const struct model_row *row, struct error *err)
{
    struct looking *looking = context;

    (void)err;
    if (is_of(row, looking->wish) && row->has_data && slice_equal(row->data, looking->wish->data))
        looking->id = (int32_t)row->position;
    return STATUS_OK;
}

/* The ids of the words; *is_there: the model has all of them. */
static enum status find_words(struct one *one, bool *is_there, struct error *err)
{
    for (uint32_t i = 0; i < one->forecast->groups && *is_there; i++) {
        const struct transform_input *input = &one->model->transform.inputs[i];
        const struct model_wish wish = {.part = SLICE("vocabulary"),
                                        .name = input->spec.name,
                                        .end = input->word_count,
                                        .data = one->words[i]};
        struct looking looking = {&wish, -1};

        if (one->words[i].data)
            TRY(one->fetch(one->self, &wish, take_word, &looking, err));
        one->ids[i] = looking.id;
        *is_there =
            one->words[i].data ? looking.id >= 0 : one->forecast->hierarchy != HIERARCHY_NONE;
    }
    return STATUS_OK;
}

static int compare_ids(const float *ids, const int32_t *wanted, uint32_t groups)
{
    for (uint32_t i = 0; i < groups; i++)
        if (ids[i] != (float)wanted[i])
            return ids[i] < (float)wanted[i] ? -1 : 1;
    return 0;
}

/* Series ascend by their ids. */
static enum status find_series(struct one *one, const struct model_array *array, uint64_t *series,
                               bool *is_there, struct error *err)
{
    uint64_t low = 0, high = one->forecast->series;
    float ids[FORECAST_GROUPS_MAX];

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        int order;

        TRY(read_floats(one, array, middle * array->width, array->width, ids, err));
        order = compare_ids(ids, one->ids, one->forecast->groups);
        if (order == 0) {
            *series = middle;
            return STATUS_OK;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *is_there = false;
    return STATUS_OK;
}

/* ---- the model of this series ---- */

static bool array_of(const struct model *model, const char *name, struct model_array *array)
{
    for (uint32_t i = 0; forecast_array(model, i, array); i++)
        if (strcmp(array->name, name) == 0)
            return true;
    return false;
}

/* All arrays have a row for each series, but for the reaches upwards and downwards. */
static enum status read_arrays(struct one *one, uint64_t series, struct error *err)
{
    struct model_array array;

    for (uint32_t i = 0; forecast_array(one->model, i, &array); i++) {
        const bool is_whole =
            strcmp(array.name, "reaches") == 0 || strcmp(array.name, "reaches_below") == 0;
        const uint64_t count = is_whole ? array.rows * array.width : array.width;
        float *elements = ARENA_NEW(one->arena, float, count + 1);

        if (!elements)
            return fail_no_memory(err);
        one->of = NULL; /* `array` is another one */
        TRY(read_floats(one, &array, is_whole ? 0 : series * array.width, count, elements, err));
        *array.elements = elements;
    }
    return STATUS_OK;
}

/* The words of the series alone, each with the id 0. */
static enum status put_words(struct one *one, struct error *err)
{
    struct forecast_model *forecast = one->forecast;
    float *ids = ARENA_NEW(one->arena, float, forecast->groups);

    if (!ids)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < forecast->groups; i++) {
        struct transform_input *input = &one->model->transform.inputs[i];

        input->word_count = 1;
        input->words = ARENA_NEW(one->arena, struct slice, 1);
        input->word_counts = ARENA_NEW(one->arena, uint64_t, 1);
        if (!input->words || !input->word_counts)
            return fail_no_memory(err);
        input->words[0] = one->words[i].data ? one->words[i] : SLICE("");
        ids[i] = one->words[i].data ? 0 : -1;
    }
    forecast->ids = ids;
    forecast->series = 1;
    return STATUS_OK;
}

static enum status load(struct one *one, struct slice series, bool *is_there, struct error *err)
{
    struct model_array ids;
    uint64_t number = 0;

    TRY(forecast_name_words(one->forecast->groups, series, one->arena, one->words, is_there, err));
    TRY(find_words(one, is_there, err));
    if (!array_of(one->model, "ids", &ids))
        return fail(err, STATUS_CORRUPT, "model: a group without ids");
    if (*is_there)
        TRY(find_series(one, &ids, &number, is_there, err));
    TRY(read_arrays(one, number, err));
    TRY(put_words(one, err));
    TRY(transform_finish(&one->model->transform, one->arena, err));
    return *is_there ? forecast_check(one->model, err) : STATUS_OK;
}

enum status forecast_one_load(struct slice meta, struct slice series, model_fetch *fetch,
                              void *self, struct arena *arena, struct model *model, bool *is_there,
                              struct error *err)
{
    static const struct kind *const forecasts[] = {&forecast_kind, NULL};
    struct one one = {.fetch = fetch, .self = self, .arena = arena, .model = model};
    enum status status;

    *is_there = true;
    TRY(model_meta_read(meta, forecasts, arena, model, err));
    if (forecast_of(model)->groups == 0)
        return fail(err, STATUS_UNSUPPORTED, "the model has no series to choose from");
    one.forecast = (struct forecast_model *)(uintptr_t)model->content;
    one.chunk = malloc(MODEL_CHUNK_BYTES);
    status = one.chunk ? load(&one, series, is_there, err) : fail_no_memory(err);
    free(one.chunk);
    return status;
}
