/*
 * A model that loads, written and loaded again, is the same model to its digest. It scores rows of
 * any values, gives all outputs that there are of a row, tells what it consists of and is exported,
 * or answers with an error. The input: made_model.h.
 */
#include <stdlib.h>
#include <string.h>

#include "interop/exchange.h"
#include "interop/formulas/formula_print.h"
#include "kinds/forecast/forecast_kind.h"
#include "kinds/forecast/forecast_one.h"
#include "kinds/forecast/forecast_rows.h"
#include "kinds/kinds.h"
#include "scoring/kind.h"
#include "scoring/outputs.h"
#include "scoring/tables/model_bytes.h"
#include "scoring/tables/model_write.h"
#include "tests/fuzz/made_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* ---- inputs ---- */

static bool is_in_number(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || byte == '.' || byte == '-';
}

/* Another number in the place of one of the JSON's, as most damage of bytes makes no JSON at all.
 * Returns the size of the input; 0: there was none to replace. */
static size_t replace_number(uint8_t *data, size_t size, size_t most, size_t json, unsigned seed)
{
    static const char *const numbers[] = {
        "0",          "1",    "2",     "3",     "4",        "7",          "16",
        "255",        "256",  "65535", "65536", "16777216", "2147483647", "4294967295",
        "4294967296", "1e18", "-1",    "0.5",   "-0.5",     "1e-300",     "1e300"};
    const char *number = numbers[seed / 4096 % (sizeof numbers / sizeof *numbers)];
    const size_t length = strlen(number);
    size_t begin = json ? seed / 4 % json : 0, end;

    while (begin < json && !is_in_number(data[begin]))
        begin++;
    while (begin > 0 && is_in_number(data[begin - 1]))
        begin--;
    for (end = begin; end < json && is_in_number(data[end]);)
        end++;
    if (begin == end || size - (end - begin) + length > most)
        return 0;
    memmove(data + begin + length, data + end, size - end);
    memcpy(data + begin, number, length);
    return size - (end - begin) + length;
}

/* A number of the JSON, the bytes behind it that the other rows are made of, or any bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    const size_t json = zero ? (size_t)(zero - data) : size;
    size_t made = 0;

    if (seed % 4 < 2)
        made = replace_number(data, size, most, json, seed);
    else if (seed % 4 == 2 && json + 1 < most)
        made = json + 1 +
               LLVMFuzzerMutate(data + json + 1, zero ? size - json - 1 : 0, most - json - 1);
    if (made > json && seed % 4 == 2)
        data[json] = 0;
    return made ? made : LLVMFuzzerMutate(data, size, most);
}

/* ---- models ---- */

static void collect(void *context, const void *bytes, size_t size)
{
    text_append(context, (struct slice){bytes, size});
}

static void check_again(const struct model *first)
{
    struct text before, after;
    struct model_reader *reader;
    struct model second;
    struct arena arena;
    struct error err;

    arena_init(&arena, 2 * MADE_MODEL_ARENA_BYTES);
    text_init(&before, TEXT_MAXIMUM);
    text_init(&after, TEXT_MAXIMUM);
    if (model_reader_new(kinds, &arena, &reader, &err) != STATUS_OK ||
        model_write(first, model_reader_take, reader, &err) != STATUS_OK ||
        model_reader_finish(reader, &second, &err) != STATUS_OK)
        abort();
    model_reader_free(reader);
    model_feed_bytes(first, collect, &before);
    model_feed_bytes(&second, collect, &after);
    if (!slice_equal(text_slice(&before), text_slice(&after)))
        abort();
    text_deinit(&before);
    text_deinit(&after);
    arena_deinit(&arena);
}

#define ROWS 20 /* scored together: enough for the ways of many */

/* Whatever loads can score rows: of NULLs, but for an offset, without which there is no score. */
static void check_scores(const struct model *model)
{
    struct cell *cells = calloc(model->transform.input_count, sizeof *cells);
    struct scorer scorer;
    struct error err;

    if (!cells || scorer_init(&scorer, model, ROWS, &err) != STATUS_OK)
        abort();
    for (uint32_t i = 0; i < model->transform.input_count; i++)
        if (model->transform.inputs[i].spec.offset)
            cells[i] = (struct cell){.type = CELL_REAL, .real = 1};
    for (uint32_t i = 0; i < scorer.rows_max; i++)
        if (scorer_transform(&scorer, i, cells, &err) != STATUS_OK)
            abort();
    scorer_score(&scorer, scorer.rows_max);
    scorer_prediction(&scorer);
    scorer_score(&scorer, 1);
    scorer_prediction(&scorer);
    scorer_deinit(&scorer);
    free(cells);
}

static bool is_over(void *ignored)
{
    (void)ignored;
    return true;
}

/* Asks for a row's outputs as the functions of the SQL do. A row of many deep trees ends when it
 * first asks. */
static void ask_outputs(struct scorer *scorer, struct output_workspace *workspace)
{
    struct cell cell;
    struct error err;

    for (int output = 0; output < OUTPUT_COUNT; output++)
        if (output != OUTPUT_COMPONENT)
            scorer_output(scorer, (enum output)output, workspace, &cell, &err);
    scorer_component_output(scorer, 1, &cell, &err);
}

/* Rows as they are in tables: numbers, far ones, words that are there and ones that are not. One
 * that the model does not take is an error, and no more. */
static void check_outputs(const struct model *model)
{
    static const struct cell values[] = {{.type = CELL_NULL},
                                         {.type = CELL_REAL, .real = 0.5},
                                         {.type = CELL_REAL, .real = -1e300},
                                         {.type = CELL_INTEGER, .integer = INT64_MAX},
                                         {.type = CELL_TEXT, .text = {"a b 1", 5}},
                                         {.type = CELL_TEXT, .text = {"[1,2]", 5}}};
    const struct stop stop = {is_over, NULL};
    struct cell *cells = calloc(model->transform.column_count + (size_t)1, sizeof *cells);
    struct output_workspace workspace;
    struct scorer scorer;
    struct error err;

    if (!cells || scorer_init(&scorer, model, 1, &err) != STATUS_OK ||
        output_workspace_init(&workspace, model, &err) != STATUS_OK)
        abort();
    workspace.stop = &stop;
    for (size_t row = 0; row < sizeof values / sizeof *values; row++) {
        for (uint32_t i = 0; i < model->transform.column_count; i++)
            cells[i] = values[row];
        if (scorer_transform(&scorer, 0, cells, &err) != STATUS_OK)
            continue;
        scorer_score(&scorer, 1);
        ask_outputs(&scorer, &workspace);
    }
    output_workspace_deinit(&workspace);
    scorer_deinit(&scorer);
    free(cells);
}

/* Runs the reports of TO EXPLAIN USING ... on the model itself, and EXPORT MODEL. */
static void check_reports(const struct model *model)
{
    const struct model_inside *inside = model->kind->insides;
    struct arena arena;
    struct cell *cells;
    struct error err;
    size_t rows;

    arena_init(&arena, MADE_MODEL_ARENA_BYTES);
    for (; inside && inside->name; inside++)
        inside->rows(model, &arena, &cells, &rows, &err);
    arena_deinit(&arena);
    for (int format = 0; format < EXCHANGE_FORMATS; format++) {
        struct text bytes;

        text_init(&bytes, MADE_MODEL_ARENA_BYTES);
        exchange_export(model, (enum exchange_format)format, NULL, &bytes, &err);
        text_deinit(&bytes);
    }
    for (int language = 0; language < FORMULA_LANGUAGES; language++) {
        struct text text;

        arena_init(&arena, MADE_MODEL_ARENA_BYTES);
        text_init(&text, MADE_MODEL_ARENA_BYTES);
        formula_export(model, SLICE("m"), (enum formula_language)language, &arena, &text, &err);
        text_deinit(&text);
        arena_deinit(&arena);
    }
}

/* ---- one series of a forecast ---- */

struct wished {
    const struct model_wish *wish;
    model_row_sink *sink;
    void *context;
};

static enum status pass_wished(void *context, const struct model_row *row, struct error *err)
{
    const struct wished *wished = context;

    return slice_equal(row->part, wished->wish->part) && slice_equal(row->name, wished->wish->name)
               ? wished->sink(wished->context, row, err)
               : STATUS_OK;
}

static enum status fetch_written(void *model, const struct model_wish *wish, model_row_sink *sink,
                                 void *context, struct error *err)
{
    struct wished wished = {wish, sink, context};

    return model_write(model, pass_wished, &wished, err);
}

/* Whatever bytes there are, as the row that is wished for. */
static enum status fetch_bytes(void *bytes, const struct model_wish *wish, model_row_sink *sink,
                               void *context, struct error *err)
{
    const struct model_row row = {.part = wish->part,
                                  .name = wish->name,
                                  .position = wish->first,
                                  .has_data = true,
                                  .data = *(const struct slice *)bytes};

    return sink(context, &row, err);
}

static enum status keep_meta(void *context, const struct model_row *row, struct error *err)
{
    (void)err;
    if (slice_is(row->part, "meta"))
        text_append(context, row->data);
    return STATUS_OK;
}

/* The last series of the whole model has the same first step when it is read alone. */
static void check_series(const struct model *model)
{
    const struct forecast_model *forecast = forecast_of(model);
    const struct forecast_interval interval = forecast_interval_of(0.9);
    const struct forecast_ask ask = {.is_of_names = true};
    struct forecast_step whole, own;
    struct forecast_rows rows;
    struct arena arena;
    struct model one;
    struct text meta;
    struct cell name;
    struct error err;
    bool is_there;

    arena_init(&arena, 2 * MADE_MODEL_ARENA_BYTES);
    text_init(&meta, TEXT_MAXIMUM);
    if (model_write(model, keep_meta, &meta, &err) != STATUS_OK ||
        forecast_rows_open(&rows, model, &ask, NULL, &err) != STATUS_OK ||
        !forecast_rows_next(&rows) || forecast_rows_series(&rows, &name, &err) != STATUS_OK)
        abort();
    if (forecast_one_load(text_slice(&meta), name.text, fetch_written, (void *)(uintptr_t)model,
                          &arena, &one, &is_there, &err) == STATUS_OK &&
        is_there) {
        whole = forecast_step_of(forecast, rows.series, 1, &interval);
        own = forecast_step_of(forecast_of(&one), 0, 1, &interval);
        if (memcmp(&whole, &own, sizeof own) != 0)
            abort();
    }
    forecast_rows_close(&rows);
    text_deinit(&meta);
    arena_deinit(&arena);
}

static void check_hostile(struct slice input)
{
    const char *zero = input.size ? memchr(input.data, 0, input.size) : NULL;
    struct slice json = {input.data, zero ? (size_t)(zero - input.data) : input.size};
    struct arena arena;
    struct model model;
    struct error err;
    bool is_there;

    arena_init(&arena, MADE_MODEL_ARENA_BYTES);
    forecast_one_load(json, SLICE("a"), fetch_bytes, &json, &arena, &model, &is_there, &err);
    arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct model model;
    struct error err;

    arena_init(&arena, MADE_MODEL_ARENA_BYTES);
    if (made_model_load((struct slice){(const char *)data, size}, &arena, &model, &err) ==
        STATUS_OK) {
        check_again(&model);
        check_scores(&model);
        check_outputs(&model);
        check_reports(&model);
        if (model.kind == &forecast_kind)
            check_series(&model);
    }
    check_hostile((struct slice){(const char *)data, size});
    arena_deinit(&arena);
    return 0;
}
