#include "extension/postgres/sql/row_guess.h"

#include "base/json.h"
#include "extension/sql/sql_host.h"

static enum status keep_text(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct text *text = self;

    if (count == 1 && cells[0].type == CELL_TEXT)
        text_append(text, cells[0].text);
    return text->failed ? fail_no_memory(err) : STATUS_OK;
}

/* [{"Plan": {"Plan Rows": 1000, ...}}] */
static uint64_t rows_of_plan(struct slice explained)
{
    const cJSON *plan = NULL;
    struct error ignored;
    double rows = 0;
    cJSON *json;

    if (json_parse(explained, JSON_BYTES_MAX, &json, &ignored) != STATUS_OK)
        return 0;
    if (json_get_object(cJSON_GetArrayItem(json, 0), "Plan", &plan, &ignored) != STATUS_OK ||
        json_get_real(plan, "Plan Rows", &rows, &ignored) != STATUS_OK || !(rows < 1e18))
        rows = 0;
    cJSON_Delete(json);
    return rows > 0 ? (uint64_t)rows : 0;
}

uint64_t postgres_guess_rows(void *self, struct slice select)
{
    struct sql_host *host = self;
    struct database_statement statement = {.form = FORM_SHOWN};
    struct text sql, explained;
    struct database_rows rows = {.self = &explained, .row = keep_text};
    struct error ignored;
    uint64_t guess = 0;

    text_init(&sql, TEXT_MAXIMUM);
    text_init(&explained, JSON_BYTES_MAX);
    text_append_string(&sql, "EXPLAIN (FORMAT JSON) ");
    text_append(&sql, select);
    statement.sql = text_slice(&sql);
    if (!sql.failed &&
        host->database->query(host->database->self, &statement, &rows, NULL, &ignored) == STATUS_OK)
        guess = rows_of_plan(text_slice(&explained));
    text_deinit(&explained);
    text_deinit(&sql);
    return guess;
}
