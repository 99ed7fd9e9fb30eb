#include "cli/model_rows.h"

#include <string.h>

#include "extension/engine/engine.h"
#include "parser/splitter.h"

enum status model_rows_table(struct result *result, struct picture_table *table, struct error *err)
{
    struct cell *cells;

    *table = (struct picture_table){.names = result->names, .column_count = result->column_count};
    for (const struct result_row *row = result->first; row; row = row->next)
        table->row_count++;
    cells = ARENA_NEW(&result->arena, struct cell, table->row_count * table->column_count + 1);
    if (!cells)
        return fail_no_memory(err);
    table->cells = cells;
    for (const struct result_row *row = result->first; row; row = row->next) {
        memcpy(cells, row->cells, table->column_count * sizeof *cells);
        cells += table->column_count;
    }
    return STATUS_OK;
}

enum status model_rows_run(struct session *session, const struct text *statement,
                           struct result *result, struct error *err)
{
    const struct sink sink = result_sink(result);
    const enum status status = engine_run(session->host, text_slice(statement), NULL, &sink, err);

    if (status != STATUS_OK)
        err->position = -1;
    return status;
}

static struct slice find_statement(const struct result *result)
{
    for (const struct result_row *row = result->first; row; row = row->next)
        if (result->column_count == 2 && row->cells[0].type == CELL_TEXT &&
            slice_is(row->cells[0].text, "statement") && row->cells[1].type == CELL_TEXT)
            return row->cells[1].text;
    return SLICE("");
}

enum status model_rows_select(struct session *session, const char *model, struct arena *arena,
                              struct slice *select, struct error *err)
{
    struct statement statement;
    struct result result;
    struct piece piece;
    struct text show;
    struct slice text;
    enum status status;

    text_init(&show, TEXT_MAXIMUM);
    result_init(&result);
    text_printf(&show, "SHOW MODEL %s", model);
    status = model_rows_run(session, &show, &result, err);
    text = arena_copy(arena, find_statement(&result));
    text_deinit(&show);
    result_deinit(&result);
    if (status != STATUS_OK)
        return status;
    if (text.size == 0)
        return fail(err, STATUS_INVALID, "the model %s was not trained by a statement", model),
               error_hint(err, "-c \"SELECT ...\" says on which rows it is measured.");
    piece = split_piece(text, 0);
    TRY(parse_piece(text, &piece, arena, &statement, err));
    *select = statement.select;
    return STATUS_OK;
}
