#include "report/picture.h"

#include "report/picture_kinds.h"

/* By enum picture_kind. The statement is the SELECT, `before`, the model, `after`; without a SELECT
 * where `before` begins a statement. */
static const struct picture {
    const char *name;
    enum status (*draw)(const struct drawing *drawing, struct error *err);
    bool needs_rows;
    const char *before, *after;
} pictures[] = {
    [PICTURE_HISTORY] = {"history", draw_history, false, "SHOW TRAIN ", ""},
    [PICTURE_CONFUSION] = {"confusion", draw_confusion, true, " TO EVALUATE ",
                           " WITH evaluate.report = 'confusion'"},
    [PICTURE_ROC] = {"roc", draw_roc, true, " TO EVALUATE ", " WITH evaluate.report = 'roc'"},
    [PICTURE_PR] = {"pr", draw_pr, true, " TO EVALUATE ", " WITH evaluate.report = 'pr'"},
    [PICTURE_GAIN] = {"gain", draw_gain, true, " TO EVALUATE ", " WITH evaluate.report = 'gain'"},
    [PICTURE_CALIBRATION] = {"calibration", draw_calibration, true, " TO EVALUATE ",
                             " WITH evaluate.report = 'calibration'"},
    [PICTURE_RESIDUALS] = {"residuals", draw_residuals, true, " TO EVALUATE ",
                           " WITH evaluate.report = 'residuals'"},
    [PICTURE_IMPORTANCE] = {"importance", draw_importance, true, " TO EXPLAIN ", ""},
    [PICTURE_SHAP] = {"shap", draw_shap, true, " TO EXPLAIN ",
                      " WITH summary.plot_type = 'points' USING shap"},
    [PICTURE_DEPENDENCE] = {"dependence", draw_dependence, true, " TO EXPLAIN ",
                            " USING partial_dependence"},
    [PICTURE_FORECAST] = {"forecast", draw_forecast, true, " TO PREDICT USING ", ""},
};

bool picture_find(struct slice name, enum picture_kind *kind)
{
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        if (slice_is(name, pictures[i].name)) {
            *kind = (enum picture_kind)i;
            return true;
        }
    }
    return false;
}

bool picture_needs_rows(enum picture_kind kind)
{
    return pictures[kind].needs_rows;
}

void picture_statement(enum picture_kind kind, struct slice select, struct slice model,
                       struct text *sql)
{
    if (pictures[kind].needs_rows)
        text_append(sql, select);
    text_append_string(sql, pictures[kind].before);
    text_append(sql, model);
    text_append_string(sql, pictures[kind].after);
}

enum status picture_draw(enum picture_kind kind, const struct picture_table *table,
                         struct slice model, enum theme theme, struct text *svg, struct error *err)
{
    const struct drawing drawing = {table, model, theme, svg};

    if (table->row_count == 0)
        return fail(err, STATUS_INVALID, "there are no rows to draw");
    TRY(pictures[kind].draw(&drawing, err));
    svg_end(svg);
    return svg->failed ? fail_no_memory(err) : STATUS_OK;
}
