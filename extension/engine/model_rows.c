#include "extension/engine/model_rows.h"

#include "extension/engine/engine.h"
#include "extension/engine/host/result.h"
#include "parser/splitter.h"

static enum status keep_cell(const struct cell *cell, struct arena *arena, struct cell *kept,
                             struct error *err)
{
    *kept = *cell;
    if (cell->type != CELL_TEXT || cell->text.size == 0)
        return STATUS_OK;
    kept->text = arena_copy(arena, cell->text);
    return kept->text.data ? STATUS_OK : fail_no_memory(err);
}

static enum status keep_rows(const struct result *result, struct arena *arena,
                             struct picture_table *table, struct error *err)
{
    struct slice *names = ARENA_NEW(arena, struct slice, result->column_count + 1);
    size_t rows = 0, at = 0;
    struct cell *cells;

    for (const struct result_row *row = result->first; row; row = row->next)
        rows++;
    cells = ARENA_NEW(arena, struct cell, rows * result->column_count + 1);
    if (!names || !cells)
        return fail_no_memory(err);
    for (size_t i = 0; i < result->column_count; i++)
        names[i] = arena_copy(arena, result->names[i]);
    for (const struct result_row *row = result->first; row; row = row->next)
        for (size_t i = 0; i < result->column_count; i++)
            TRY(keep_cell(&row->cells[i], arena, &cells[at++], err));
    *table = (struct picture_table){names, result->column_count, cells, rows};
    return STATUS_OK;
}

enum status model_rows(const struct host *host, const struct text *statement, struct arena *arena,
                       struct picture_table *table, struct error *err)
{
    struct result result;
    struct sink sink;
    enum status status;

    if (statement->failed)
        return fail_no_memory(err);
    result_init(&result);
    sink = result_sink(&result);
    status = engine_run(host, text_slice(statement), NULL, &sink, err);
    if (status == STATUS_OK)
        status = keep_rows(&result, arena, table, err);
    else
        err->position = -1;
    result_deinit(&result);
    return status;
}

enum status model_rows_show(const struct host *host, const char *model, struct arena *arena,
                            struct picture_table *table, struct error *err)
{
    struct text show;
    enum status status;

    text_init(&show, TEXT_MAXIMUM);
    text_printf(&show, "SHOW MODEL %s", model);
    status = model_rows(host, &show, arena, table, err);
    text_deinit(&show);
    return status;
}

static struct slice find_statement(const struct picture_table *table)
{
    for (size_t row = 0; row < table->row_count; row++) {
        const struct cell *cells = &table->cells[row * table->column_count];

        if (cells[0].type == CELL_TEXT && slice_is(cells[0].text, "statement") &&
            cells[1].type == CELL_TEXT)
            return cells[1].text;
    }
    return SLICE("");
}

enum status model_rows_name(const char *model, struct arena *arena, struct slice *schema,
                            struct slice *name, struct error *err)
{
    struct statement statement;
    struct piece piece;
    struct slice kept;
    struct text show;

    text_init(&show, TEXT_MAXIMUM);
    text_printf(&show, "SHOW MODEL %s", model);
    kept = show.failed ? SLICE("") : arena_copy(arena, text_slice(&show));
    text_deinit(&show);
    if (kept.size == 0)
        return fail_no_memory(err);
    piece = split_piece(kept, 0);
    TRY(parse_piece(kept, &piece, arena, &statement, err));
    *schema = statement.object.count > 1 ? statement.object.parts[0].text : SLICE("");
    *name = path_last(&statement.object).text;
    return STATUS_OK;
}

/* How a report or a picture is given other rows. */
static const char *rows_hint(const struct host *host)
{
    return host->catalog.dialect == SQL_POSTGRES
               ? "totrain.report('model', 'html', 'SELECT ...') and, of the program, -c \"SELECT "
                 "...\" set the rows on which it is measured."
               : "totrain_report('model', 'html', 'SELECT ...') and, of the program, -c \"SELECT "
                 "...\" set the rows on which it is measured.";
}

/* In PostgreSQL the owner of a model wrote the statement in it: run by another role, a superuser
 * even, it would do with that role's rights what the owner wants. */
static enum status check_owner(const struct host *host, const char *model, struct arena *arena,
                               struct error *err)
{
    struct slice schema, name;
    bool is_callers = false;

    TRY(model_rows_name(model, arena, &schema, &name, err));
    TRY(host->models->is_callers(host->self, schema, name, &is_callers, err));
    if (is_callers)
        return STATUS_OK;
    fail(err, STATUS_PERMISSION, "the model %s is another role's, whose statement is not run",
         model);
    return error_hint(err, "%s", rows_hint(host));
}

enum status model_rows_select(const struct host *host, const char *model,
                              const struct picture_table *shown, struct arena *arena,
                              struct slice *select, struct error *err)
{
    const struct slice text = find_statement(shown);
    struct statement statement = {0};
    struct piece piece;

    TRY(check_owner(host, model, arena, err));
    if (text.size > 0) {
        piece = split_piece(text, 0);
        TRY(parse_piece(text, &piece, arena, &statement, err));
    }
    *select = statement.select;
    if (select->size > 0)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "the model %s was not trained by a statement", model);
    return error_hint(err, "%s", rows_hint(host));
}
