#include "cli/picture_command.h"

#include <string.h>

#include "base/json.h"
#include "cli/model_command.h"
#include "cli/session/input.h"
#include "cli/session/output_file.h"
#include "extension/engine/model_picture.h"

#define COLUMNS_MAX 64
#define SVG_MAXIMUM ((size_t)16 << 20)

static const char usage_start[] =
    "usage: totrain picture DB MODEL KIND [-c SELECT] [-o FILE] [--theme light|dark]\n"
    "       totrain picture - KIND\n"
    "\n"
    "Draws a model as SVG, for any browser. KIND is one of\n"
    "\n"
    "  history       the loss by epoch\n"
    "  confusion     rows by actual and predicted class\n"
    "  roc, pr       two classes: the curve over all thresholds\n"
    "  gain          two classes: positive rows in the tenths of the best scores\n"
    "  calibration   two classes: how often a predicted probability comes true\n"
    "  residuals     regression: how far predictions are from the label\n"
    "  importance    how much worse the metric is if an input is shuffled\n"
    "  shap          how far an input moves predictions\n"
    "  dependence    the mean prediction by the value of each input\n"
    "  forecast      one series: values, forecast and bounds\n"
    "\n"
    "All but history are measured on the rows of -c. Without -c they are measured on the\n"
    "training rows, which flatter the model. With - the rows are read as JSON from standard\n"
    "input: {\"model\":\"m\",\"columns\":[...],\"rows\":[[...],...]}.\n"
    "\n"
    "    totrain picture shop.db churn_model roc -c \"SELECT * FROM unseen\" -o roc.svg\n"
    "\n"
    "options:\n";

/* ----- rows of JSON ----- */

static struct cell cell_of(const cJSON *value)
{
    if (cJSON_IsNumber(value))
        return (struct cell){.type = CELL_REAL, .real = value->valuedouble};
    if (cJSON_IsString(value))
        return (struct cell){.type = CELL_TEXT, .text = slice_of(value->valuestring)};
    return (struct cell){.type = CELL_NULL};
}

static enum status read_row(const cJSON *row, size_t columns, struct cell *cells, struct error *err)
{
    const cJSON *value;
    size_t count = 0;

    if (!cJSON_IsArray(row) || (size_t)cJSON_GetArraySize(row) != columns)
        return fail(err, STATUS_INVALID, "a row has one value a column");
    cJSON_ArrayForEach(value, row) cells[count++] = cell_of(value);
    return STATUS_OK;
}

static enum status table_of_json(const cJSON *given, struct arena *arena,
                                 struct picture_table *table, struct error *err)
{
    const cJSON *columns, *rows, *item;
    struct slice *names;
    struct cell *cells;

    TRY(json_get_array(given, "columns", COLUMNS_MAX, &columns, err));
    TRY(json_get_array(given, "rows", INPUT_BYTES_MAX, &rows, err));
    table->column_count = (size_t)cJSON_GetArraySize(columns);
    names = ARENA_NEW(arena, struct slice, table->column_count + 1);
    cells = ARENA_NEW(arena, struct cell,
                      ((size_t)cJSON_GetArraySize(rows) + 1) * (table->column_count + 1));
    if (!names || !cells)
        return fail_no_memory(err);
    table->names = names;
    table->cells = cells;
    cJSON_ArrayForEach(item, columns)
    {
        if (!cJSON_IsString(item))
            return fail(err, STATUS_INVALID, "the name of a column is a text");
        *names++ = slice_of(item->valuestring);
    }
    cJSON_ArrayForEach(item, rows)
    {
        TRY(read_row(item, table->column_count, cells, err));
        cells += table->column_count;
        table->row_count++;
    }
    return STATUS_OK;
}

static enum status draw_given(enum picture_kind kind, enum theme theme, struct text *svg,
                              struct error *err)
{
    struct picture_table table = {.row_count = 0};
    struct arena arena;
    struct text input;
    struct slice model;
    cJSON *given = NULL;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&input, INPUT_BYTES_MAX);
    TRY_OR(done, status, input_read("-", &input, err));
    TRY_OR(done, status, json_parse(text_slice(&input), INPUT_BYTES_MAX, &given, err));
    TRY_OR(done, status, json_get_string(given, "model", &model, err));
    TRY_OR(done, status, table_of_json(given, &arena, &table, err));
    status = picture_draw(kind, &table, model, theme, svg, err);
done:
    cJSON_Delete(given);
    text_deinit(&input);
    arena_deinit(&arena);
    return status;
}

/* ----- rows of a database ----- */

static enum status draw_of_database(const struct options *options, enum picture_kind kind,
                                    struct text *svg, struct error *err)
{
    const struct model_picture picture = {
        options->words[1], kind,
        options->input_count > 0 ? slice_of(options->inputs[0].value) : SLICE(""), options->theme};
    struct session session;
    enum status status = model_command_open(&session, options, err);

    if (status == STATUS_OK)
        status = model_picture_draw(session.host, &picture, svg, err);
    session_close(&session);
    return status;
}

/* ----- the command ----- */

static enum status check(const struct options *options, enum picture_kind *kind, struct error *err)
{
    const bool is_given = options->word_count > 0 && strcmp(options->words[0], "-") == 0;
    const size_t wanted = is_given ? 2 : 3;

    if (options->word_count != wanted || options->input_count > 1)
        fail(err, STATUS_INVALID, "picture takes a database, a model and a kind, and one -c");
    else if (!picture_find(slice_of(options->words[wanted - 1]), kind))
        fail(err, STATUS_INVALID, "there is no picture \"%s\": it is %s",
             options->words[wanted - 1], PICTURE_KINDS);
    else
        return STATUS_OK;
    return error_hint(err, "totrain picture --help shows how it is called.");
}

static enum status picture(const struct options *options, struct error *err)
{
    enum picture_kind kind;
    struct text svg;
    enum status status;

    TRY(check(options, &kind, err));
    text_init(&svg, SVG_MAXIMUM);
    if (strcmp(options->words[0], "-") == 0)
        status = draw_given(kind, options->theme, &svg, err);
    else
        status = draw_of_database(options, kind, &svg, err);
    if (status == STATUS_OK)
        status = output_file_write(options->output, &svg, err);
    text_deinit(&svg);
    return status;
}

int command_picture(int argc, char **argv)
{
    return model_command(argc, argv, usage_start, MODEL_COMMAND_TAKES, picture);
}
