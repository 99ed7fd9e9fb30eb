#include "extension/engine/card_collect.h"

#include <string.h>

#include "base/name_list.h"
#include "extension/engine/model_rows.h"
#include "kinds/forecast/forecast_kind.h"
#include "scoring/explanations/dependence.h"
#include "scoring/report.h"

#define NO_REPORT          (-1)
#define THRESHOLD_ROWS     20 /* thresholds that the page shows */
#define DEPENDENCE_COLUMNS 4  /* the most important inputs, which have a panel each */

/* A section that is the rows of one statement. */
struct part {
    const char *id, *title, *explanation;
    int report;       /* enum report_kind that the model must have; NO_REPORT: it need have none */
    bool has_picture; /* the rows are those of the picture `picture`, which is drawn */
    enum picture_kind picture;
    const char *after; /* without a picture: the statement behind the SELECT, " TO EVALUATE " and
                          the model */
};

static const struct part parts[] = {
    {"training", "Training", "The loss by epoch or round, on training rows and on held-out rows.",
     NO_REPORT, true, PICTURE_HISTORY, NULL},
    {"confusion", "Confusion matrix", "Rows by their actual and their predicted class.",
     REPORT_CONFUSION, true, PICTURE_CONFUSION, NULL},
    {"classes", "Classes", "Precision, recall and F1 of each class.", REPORT_CLASSES, false, 0,
     " WITH evaluate.report = 'classes'"},
    {"roc", "ROC curve", "True against false positives over all thresholds.", REPORT_ROC, true,
     PICTURE_ROC, NULL},
    {"pr", "Precision and recall", "Precision against recall over all thresholds.", REPORT_PR, true,
     PICTURE_PR, NULL},
    {"thresholds", "Thresholds",
     "Results where rows with this score or a higher one are predicted to be positive. The cost is "
     "the number of wrong predictions.",
     REPORT_THRESHOLDS, false, 0, " WITH evaluate.report = 'thresholds'"},
    {"gain", "Gain", "Positive rows that are found in the tenths of the rows with the best scores.",
     REPORT_GAIN, true, PICTURE_GAIN, NULL},
    {"calibration", "Calibration", "How often a predicted probability comes true.",
     REPORT_CALIBRATION, true, PICTURE_CALIBRATION, NULL},
    {"residuals", "Residuals", "How far predictions are from the label: label less prediction.",
     REPORT_RESIDUALS, true, PICTURE_RESIDUALS, NULL},
    {"importance", "Importance of the inputs",
     "How much worse the metric is when the values of an input are shuffled among the rows.",
     NO_REPORT, true, PICTURE_IMPORTANCE, NULL},
    {"shap", "SHAP values",
     "By how much an input moves the prediction of a row: each point is a row, and the table has "
     "the "
     "means.",
     NO_REPORT, true, PICTURE_SHAP, NULL},
    {"dependence", "Partial dependence",
     "The mean prediction of all rows if an input had this value.", NO_REPORT, true,
     PICTURE_DEPENDENCE, NULL},
    {"drift", "Drift",
     "How far these rows have moved away from the rows of the training (population stability "
     "index).",
     NO_REPORT, false, 0, " WITH evaluate.report = 'drift'"},
};

/* ----- the model itself ----- */

static void add_notice(struct card *card, struct slice notice)
{
    if (notice.size > 0 && card->notice_count < CARD_NOTICES_MAX)
        card->notices[card->notice_count++] = notice;
}

/* Statement, digest and notices have places of their own on the page. */
static bool has_own_place(struct card *card, const struct cell *row)
{
    if (row[0].type != CELL_TEXT || row[1].type != CELL_TEXT)
        return false;
    if (slice_is(row[0].text, "notice"))
        return add_notice(card, row[1].text), true;
    if (slice_is(row[0].text, "statement"))
        return card->statement = row[1].text, true;
    if (slice_is(row[0].text, "digest"))
        return card->digest = row[1].text, true;
    return false;
}

/* facts: the rows of SHOW MODEL without those that have a place of their own. */
static enum status describe(const struct picture_table *shown, struct card *card,
                            struct picture_table *facts, struct error *err)
{
    struct cell *kept;
    size_t count = 0;

    kept = ARENA_NEW(&card->arena, struct cell, shown->row_count * 2 + 1);
    if (!kept)
        return fail_no_memory(err);
    for (size_t row = 0; row < shown->row_count; row++) {
        const struct cell *cells = &shown->cells[2 * row];

        if (cells[0].type == CELL_TEXT && cells[0].text.size > 6 &&
            memcmp(cells[0].text.data, "input ", 6) == 0)
            card->input_count++;
        if (!has_own_place(card, cells)) {
            kept[2 * count] = cells[0];
            kept[2 * count++ + 1] = cells[1];
        }
    }
    *facts = (struct picture_table){shown->names, 2, kept, count};
    return STATUS_OK;
}

/* Reads the meta row of the model that the name means in a statement. */
static enum status read_meta(const struct host *host, const char *name, struct card *card,
                             struct model *model, struct error *err)
{
    struct slice schema, table;

    TRY(model_rows_name(name, &card->arena, &schema, &table, err));
    TRY(host->models->load_meta(host->self, schema, table, &card->arena, model, err));
    card->model = table;
    card->estimator = model->estimator;
    card->label = model->label;
    card->version = model->version;
    card->trained_rows = model->rows;
    card->created_at = model->created_at;
    return STATUS_OK;
}

/* ----- quality ----- */

static bool ends_with(struct slice name, const char *end)
{
    const size_t size = strlen(end);

    return name.size > size && memcmp(name.data + name.size - size, end, size) == 0;
}

static const struct cell *find_cell(const struct picture_table *table, struct slice name,
                                    const char *end)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const struct slice other = table->names[i];

        if (other.size == name.size + strlen(end) && ends_with(other, end) &&
            memcmp(other.data, name.data, name.size) == 0)
            return &table->cells[i];
    }
    return NULL;
}

/* One row of metrics, each with its bounds, as a row a metric. */
static enum status turn_metrics(struct card *card, const struct picture_table *given,
                                struct picture_table *turned, struct error *err)
{
    static const struct slice names[] = {SLICE("metric"), SLICE("value"), SLICE("lower, 95 %"),
                                         SLICE("upper, 95 %")};
    struct cell *cells = ARENA_NEW(&card->arena, struct cell, given->column_count * 4 + 1);
    bool has_bounds = false;
    size_t count = 0, columns;

    if (!cells)
        return fail_no_memory(err);
    for (size_t i = 0; i < given->column_count; i++)
        has_bounds = has_bounds || ends_with(given->names[i], "_lower");
    columns = has_bounds ? 4 : 2;
    for (size_t i = 0; given->row_count > 0 && i < given->column_count; i++) {
        const struct cell *lower = find_cell(given, given->names[i], "_lower");
        const struct cell *upper = find_cell(given, given->names[i], "_upper");
        struct cell *row = &cells[columns * count];

        if (slice_is(given->names[i], "notice")) {
            if (given->cells[i].type == CELL_TEXT)
                add_notice(card, given->cells[i].text);
            continue;
        }
        if (ends_with(given->names[i], "_lower") || ends_with(given->names[i], "_upper"))
            continue;
        row[0] = cell_text(given->names[i]);
        row[1] = given->cells[i];
        if (has_bounds) {
            row[2] = lower ? *lower : (struct cell){.type = CELL_NULL};
            row[3] = upper ? *upper : (struct cell){.type = CELL_NULL};
        }
        count++;
    }
    *turned = (struct picture_table){names, columns, cells, count};
    return STATUS_OK;
}

static enum status add_gap(struct card *card, const char *title, const struct error *reason,
                           struct error *err)
{
    const struct slice kept = arena_copy(&card->arena, slice_of(reason->message));

    if (!kept.data)
        return fail_no_memory(err);
    card->gaps[card->gap_count++] = (struct card_gap){title, kept};
    return STATUS_OK;
}

/* A section that the model, its kind or the rows do not give is a gap; all else ends the report. */
static enum status judge(struct card *card, const char *title, enum status status,
                         const struct error *reason, struct error *err)
{
    switch (status) {
    case STATUS_OK:
        return STATUS_OK;
    case STATUS_INVALID:
    case STATUS_UNSUPPORTED:
    case STATUS_NOT_FOUND:
    case STATUS_DATABASE:
    case STATUS_LIMIT:
        return add_gap(card, title, reason, err);
    default:
        *err = *reason;
        return status;
    }
}

static enum status measure(const struct host *host, const char *name, const struct model *model,
                           struct card *card, struct error *err)
{
    struct card_section *section = &card->sections[card->section_count];
    const bool has_bounds = model->task == TASK_CLASSIFICATION || model->task == TASK_REGRESSION;
    struct picture_table table;
    struct error reason;
    struct text sql;
    enum status status;

    text_init(&sql, TEXT_MAXIMUM);
    text_append(&sql, card->measured);
    text_printf(&sql, " TO EVALUATE %s%s", name,
                has_bounds ? " WITH evaluate.interval = 0.95" : "");
    status = model_rows(host, &sql, &card->arena, &table, &reason);
    text_deinit(&sql);
    if (status != STATUS_OK)
        return judge(card, "Quality", status, &reason, err);
    *section = (struct card_section){
        "quality",
        "Quality",
        has_bounds ? "Metrics, and the bounds of 95 % of 1,000 bootstrap resamples of the rows."
                   : "Metrics of these rows.",
        {.row_count = 0},
        {.size = 0},
        0};
    TRY(turn_metrics(card, &table, &section->rows, err));
    card->section_count++;
    return STATUS_OK;
}

/* ----- the other sections ----- */

static bool suits(const struct part *part, const struct model *model)
{
    const enum report_kind report = (enum report_kind)part->report;

    if (part->report == NO_REPORT)
        return true;
    return report_is_of(report, model->task) &&
           (!report_needs_two_classes(report) || model->labels.count == 2) &&
           (!report_needs_probabilities(report) || model->link != LABEL_LINK_MARGIN);
}

/* Is the column one number or word to the model? Dates, lists and texts are more. */
static bool has_dependence(const struct model *model, struct slice name)
{
    const struct transform *transform = &model->transform;

    for (uint32_t i = 0; i < transform->column_count; i++)
        if (slice_equal_fold(transform->columns[i], name))
            return dependence_input(transform, i) != NULL;
    return false;
}

/* The names of the most important inputs that have a dependence, for explain.columns. Without a
 * section of importance all are shown. */
static void append_important(const struct card *card, const struct model *model, struct text *sql)
{
    struct text names;
    size_t named = 0;

    text_init(&names, TEXT_MAXIMUM);
    for (size_t i = 0; i < card->section_count; i++) {
        const struct picture_table *rows = &card->sections[i].rows;

        if (strcmp(card->sections[i].id, "importance") != 0)
            continue;
        for (size_t row = 0; row < rows->row_count && named < DEPENDENCE_COLUMNS; row++) {
            const struct slice name = rows->cells[row * rows->column_count].text;

            if (has_dependence(model, name)) {
                name_list_append(&names, name);
                named++;
            }
        }
    }
    if (names.size > 0) {
        text_append_string(sql, " WITH explain.columns = ");
        text_append_literal(sql, text_slice(&names));
    }
    text_deinit(&names);
}

static void write_statement(const struct part *part, const char *name, const struct model *model,
                            const struct card *card, struct text *sql)
{
    if (part->has_picture && part->picture == PICTURE_DEPENDENCE) {
        text_append(sql, card->measured);
        text_printf(sql, " TO EXPLAIN %s", name);
        append_important(card, model, sql);
        text_append_string(sql, " USING partial_dependence");
    } else if (part->has_picture) {
        picture_statement(part->picture, card->measured, slice_of(name), sql);
    } else {
        text_append(sql, card->measured);
        text_printf(sql, " TO EVALUATE %s%s", name, part->after);
    }
}

/* The first columns of a table. */
static enum status keep_columns(struct card *card, size_t columns, struct picture_table *table,
                                struct error *err)
{
    struct cell *cells = ARENA_NEW(&card->arena, struct cell, table->row_count * columns + 1);

    if (!cells)
        return fail_no_memory(err);
    for (size_t row = 0; row < table->row_count; row++)
        memcpy(&cells[row * columns], &table->cells[row * table->column_count],
               columns * sizeof *cells);
    table->cells = cells;
    table->column_count = columns;
    return STATUS_OK;
}

/* Points are seen in their picture, and are no cell to read. */
static enum status drop_points(struct card *card, struct picture_table *table, struct error *err)
{
    const size_t last = table->column_count - 1;

    return slice_is(table->names[last], "points") ? keep_columns(card, last, table, err)
                                                  : STATUS_OK;
}

static enum status add_part(const struct host *host, const struct part *part, const char *name,
                            const struct model *model, struct card *card, struct error *err)
{
    struct card_section *section = &card->sections[card->section_count];
    struct error reason;
    struct text sql;
    enum status status;

    *section = (struct card_section){
        part->id,         part->title, part->explanation,
        {.row_count = 0}, {.size = 0}, part->report == REPORT_THRESHOLDS ? THRESHOLD_ROWS : 0};
    text_init(&sql, TEXT_MAXIMUM);
    text_init(&section->picture, CARD_BYTES_MAX);
    write_statement(part, name, model, card, &sql);
    status = model_rows(host, &sql, &card->arena, &section->rows, &reason);
    if (status == STATUS_OK && part->has_picture)
        status = picture_draw(part->picture, &section->rows, card->model, card->theme,
                              &section->picture, &reason);
    if (status == STATUS_OK)
        status = drop_points(card, &section->rows, &reason);
    text_deinit(&sql);
    if (status == STATUS_OK)
        card->section_count++;
    else
        text_deinit(&section->picture);
    return judge(card, part->title, status, &reason, err);
}

/* The values that are expected, which need no rows. */
static enum status add_forecast(const struct host *host, const char *name, struct card *card,
                                struct error *err)
{
    struct card_section *section = &card->sections[card->section_count];
    struct error reason;
    struct text sql;
    enum status status;

    *section = (struct card_section){
        "forecast", "Forecast", "The values that are expected next, and their bounds.",
        {0},        {0},        0};
    text_init(&sql, TEXT_MAXIMUM);
    text_printf(&sql, "FORECAST %s", name);
    status = model_rows(host, &sql, &card->arena, &section->rows, &reason);
    text_deinit(&sql);
    if (status == STATUS_OK)
        card->section_count++;
    return judge(card, section->title, status, &reason, err);
}

#define VERSION_FACTS 4 /* version, digest, created_at, state */

/* Versions that may be restored. No rows are no gap. */
static enum status add_versions(const struct host *host, const char *name, struct card *card,
                                struct error *err)
{
    struct card_section *section = &card->sections[card->section_count];
    struct error reason;
    struct text sql;
    enum status status;

    *section = (struct card_section){
        "versions",       "Versions",  "The versions that are kept, each with its digest.",
        {.row_count = 0}, {.size = 0}, 0};
    text_init(&sql, TEXT_MAXIMUM);
    text_printf(&sql, "SHOW VERSIONS %s", name);
    status = model_rows(host, &sql, &card->arena, &section->rows, &reason);
    text_deinit(&sql);
    if (status == STATUS_OK && section->rows.row_count > 0) {
        TRY(keep_columns(card, VERSION_FACTS, &section->rows, err));
        card->section_count++;
    }
    return judge(card, section->title, status, &reason, err);
}

/* Where nothing could be measured, the rows are why, and the first reason says it. */
static enum status check_rows(const struct card *card, struct error *err)
{
    for (size_t i = 0; i < card->section_count; i++)
        if (strcmp(card->sections[i].id, "training") != 0)
            return STATUS_OK;
    fail(err, STATUS_INVALID, "nothing can be measured: %.*s",
         SLICE_FORMAT(card->gap_count > 0 ? card->gaps[0].reason : SLICE("")));
    return error_hint(err, "-c \"SELECT ...\" sets the rows on which the model is measured.");
}

/* All that is measured on rows. */
static enum status measure_all(const struct host *host, const char *model, const struct model *meta,
                               const struct picture_table *shown, struct slice select,
                               struct card *card, struct error *err)
{
    card->measured = select;
    card->is_flattered = select.size == 0;
    if (card->is_flattered)
        TRY(model_rows_select(host, model, shown, &card->arena, &card->measured, err));
    TRY(measure(host, model, meta, card, err));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (suits(&parts[i], meta))
            TRY(add_part(host, &parts[i], model, meta, card, err));
    return check_rows(card, err);
}

/* A forecast was measured by the backtest of its training; other rows need their values. */
static enum status measure_forecast(const struct host *host, const char *model,
                                    const struct model *meta, struct slice select,
                                    struct card *card, struct error *err)
{
    card->measured = select;
    if (select.size > 0)
        TRY(measure(host, model, meta, card, err));
    return add_forecast(host, model, card, err);
}

enum status card_collect(const struct host *host, const char *model, struct slice select,
                         enum theme theme, struct card *card, struct error *err)
{
    struct picture_table shown, facts;
    struct model meta;

    memset(card, 0, sizeof *card);
    arena_init(&card->arena, ARENA_MAXIMUM);
    card->theme = theme;
    TRY(model_rows_show(host, model, &card->arena, &shown, err));
    TRY(describe(&shown, card, &facts, err));
    TRY(read_meta(host, model, card, &meta, err));
    if (meta.kind == &forecast_kind)
        TRY(measure_forecast(host, model, &meta, select, card, err));
    else
        TRY(measure_all(host, model, &meta, &shown, select, card, err));
    card->sections[card->section_count++] = (struct card_section){
        "model", "Model",     "Its inputs, settings and results of the training.",
        facts,   {.size = 0}, 0};
    return add_versions(host, model, card, err);
}
