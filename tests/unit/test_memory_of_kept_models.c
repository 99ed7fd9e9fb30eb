/* Models that a connection of SQLite keeps, with every allocation failing in turn. */
#include "tests/check.h"

#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/functions/functions.h"
#include "tests/unit/failing_memory.h"
#include "tests/unit/scoring_fixture.h"

static void write_model(sqlite3 *db, struct slice name, uint32_t classes)
{
    static const uint32_t widths[] = {3};
    struct fixture fixture;
    sqlite3_stmt *statement;
    struct error err;
    struct text sql;

    fixture_init(&fixture, classes);
    fixture_layers(&fixture, widths, 1);
    fixture_write(&fixture);
    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "CREATE TABLE ");
    sql_append_table(&sql, SLICE("main"), name);
    text_append_string(&sql, " (part TEXT, name TEXT, position INTEGER, value, data)");
    CHECK_OK(sql_execute_text(db, &sql, &err));
    text_clear(&sql);
    text_append_string(&sql, "INSERT INTO ");
    sql_append_table(&sql, SLICE("main"), name);
    text_append_string(&sql, " VALUES (?, ?, ?, ?, ?)");
    CHECK_OK(sql_prepare_text(db, &sql, &statement, &err));
    for (size_t i = 0; i < fixture.row_count; i++) {
        const struct model_row *row = &fixture.rows[i];
        const struct cell cells[] = {cell_text(row->part),
                                     cell_text(row->name),
                                     cell_integer(row->position),
                                     row->has_value ? cell_real(row->value) : cell_null(),
                                     {.type = !row->has_data      ? CELL_NULL
                                              : row->data_is_text ? CELL_TEXT
                                                                  : CELL_BLOB,
                                      .text = row->data}};

        for (int c = 0; c < 5; c++)
            sql_bind_cell(statement, c + 1, &cells[c]);
        CHECK_OK(sql_step_through(statement, &err));
    }
    sqlite3_finalize(statement);
    text_deinit(&sql);
    fixture_deinit(&fixture);
}

static enum status ask(sqlite3 *db, const char *sql, struct text *result, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;
    bool has_row;

    TRY(sql_prepare(db, slice_of(sql), &statement, err));
    status = sql_step(statement, &has_row, err);
    if (status == STATUS_OK)
        text_append(result, sql_slice(statement, 0));
    sqlite3_finalize(statement);
    return status;
}

/* One model is read while the other one is kept, and then both are kept. */
static enum status ask_for_all(sqlite3 *db, struct text *result, struct error *err)
{
    static const char *const questions[] = {
        "SELECT totrain_logits('first', NULL, 170.5, 'green', 'red')",
        "SELECT totrain_probabilities('second', 41, 170.5, 'green', 'red')",
        "SELECT totrain_logits('main.first', NULL, 171, 'green', 'red')",
        "SELECT totrain_predict(name, 41, 170.5, 'red', 'red') FROM (SELECT 'second' AS name)",
    };

    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        TRY(ask(db, questions[i], result, err));
    return STATUS_OK;
}

static enum status keep_models(void *context, struct text *result, struct error *err)
{
    sqlite3 *db = context;
    struct sqlite_connection *connection = sqlite_connection_add(db, "");
    enum status status;

    if (!connection)
        return fail_no_memory(err);
    status = functions_register(connection, err);
    if (status == STATUS_OK)
        status = ask_for_all(db, result, err);
    sqlite_connection_remove(connection);
    return status;
}

static void every_allocation_of_a_kept_model_may_fail(void **state)
{
    sqlite3 *db;

    (void)state;
    CHECK_INT(sqlite3_open(":memory:", &db), SQLITE_OK);
    write_model(db, SLICE("first"), 3);
    write_model(db, SLICE("second"), 3);
    check_every_allocation_may_fail("two models", keep_models, db);
    sqlite3_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_a_kept_model_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
