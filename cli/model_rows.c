#include "cli/model_rows.h"

#include <string.h>

#include "extension/engine/engine.h"
#include "extension/postgres/sql/models.h"
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

/* In PostgreSQL the owner of a model wrote the statement in it: run by another role, a superuser
 * even, it would do with that role's rights what the owner wants. */
static enum status check_owner(struct session *session, const char *model, struct arena *arena,
                               struct error *err)
{
    struct sql_located located;
    struct sql_table table;

    if (session->db)
        return STATUS_OK;
    TRY(model_rows_name(model, arena, &table.schema, &table.name, err));
    TRY(postgres_locate(&session->postgres, &table, &located, err));
    if (!located.exists || located.is_callers)
        return STATUS_OK;
    fail(err, STATUS_PERMISSION, "the model %s is another role's, whose statement is not run",
         model);
    return error_hint(err, "-c \"SELECT ...\" says on which rows it is measured.");
}

enum status model_rows_select(struct session *session, const char *model, struct arena *arena,
                              struct slice *select, struct error *err)
{
    struct statement statement = {0};
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
    TRY(status);
    TRY(check_owner(session, model, arena, err));
    if (text.size > 0) {
        piece = split_piece(text, 0);
        TRY(parse_piece(text, &piece, arena, &statement, err));
    }
    *select = statement.select;
    if (select->size > 0)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "the model %s was not trained by a statement", model);
    return error_hint(err, "-c \"SELECT ...\" says on which rows it is measured.");
}
