#include "extension/sqlite/publish_pieces.h"

#include <ctype.h>

#include "base/hash.h"
#include "extension/engine/host/model_pieces.h"
#include "extension/sqlite/model_sql.h"
#include "extension/sqlite/models.h"
#include "extension/sqlite/sql.h"
#include "extension/sqlite/tables.h"
#include "scoring/model_meta.h"
#include "scoring/model_write.h"

struct pieces {
    sqlite3 *db;
    struct slice schema;
    const struct model *model;
    char name[PIECES_NAME_BYTES]; /* of the table */
};

/* Names are the same in large and small letters. */
static uint64_t hash_of_name(struct slice name)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < name.size; i++) {
        const char letter = (char)tolower((unsigned char)name.data[i]);
        hash = bytes_hash(&letter, 1, hash);
    }
    return hash;
}

static struct pieces pieces_of(sqlite3 *db, struct slice schema, struct slice name,
                               const struct model *model)
{
    struct pieces pieces = {.db = db, .schema = schema, .model = model};

    pieces_name(hash_of_name(name), model->digest, pieces.name);
    return pieces;
}

/* What another model of this name has left: one at a time, as the list changes with it. */
static enum status remove_others(const struct pieces *pieces, struct error *err)
{
    char other[PIECES_NAME_BYTES];
    bool has_row = true;

    while (has_row) {
        sqlite3_stmt *statement;
        enum status status;

        TRY(prepare_in(pieces->db, pieces->schema, SLICE(""),
                       "SELECT name FROM %.sqlite_master WHERE type = 'table' AND "
                       "substr(name, 1, length(?1)) = ?1 AND name <> ?2",
                       &statement, err));
        sql_bind_text(statement, 1, (struct slice){pieces->name, PIECES_PREFIX_BYTES});
        sql_bind_text(statement, 2, slice_of(pieces->name));
        status = sql_step(statement, &has_row, err);
        if (status == STATUS_OK && has_row)
            slice_copy(sql_slice(statement, 0), other, sizeof other);
        sqlite3_finalize(statement);
        TRY(status);
        if (has_row)
            TRY(drop_table(pieces->db, pieces->schema, slice_of(other), err));
    }
    return STATUS_OK;
}

/* From row number *next on. Row n of model_write has the rowid n + 1, so that the meta row, which
 * comes last, is found first. */
struct placing {
    sqlite3_stmt *statement; /* ?6: the rowid */
    int64_t rowid;
};

static enum status place_row(void *context, const struct model_row *row, struct error *err)
{
    struct placing *placing = context;

    sqlite3_bind_int64(placing->statement, 6, placing->rowid++);
    return insert_model_row(placing->statement, row, err);
}

static enum status place_rows(const struct pieces *pieces, uint64_t next, size_t bytes,
                              bool *is_at_end, struct error *err)
{
    struct placing placing = {.rowid = (int64_t)next + 1};
    enum status status;

    TRY(prepare_in(pieces->db, pieces->schema, slice_of(pieces->name),
                   "INSERT INTO $ (rowid, part, name, position, value, data) "
                   "VALUES (?6, ?1, ?2, ?3, ?4, ?5)",
                   &placing.statement, err));
    status = model_write_some(pieces->model, &next, bytes, is_at_end, place_row, &placing, err);
    sqlite3_finalize(placing.statement);
    return status;
}

/* The row behind those that are there. */
static enum status find_next(const struct pieces *pieces, uint64_t *next, struct error *err)
{
    int64_t last;

    TRY(first_integer(pieces->db, pieces->schema, slice_of(pieces->name),
                      "SELECT max(rowid) FROM $", SLICE(""), SLICE(""), &last, err));
    *next = last > 1 ? (uint64_t)last : 1;
    return STATUS_OK;
}

static enum status write_piece(const struct pieces *pieces, bool *is_at_end, struct error *err)
{
    struct located located;
    uint64_t next;

    TRY(locate(pieces->db, pieces->schema, slice_of(pieces->name), &located, err));
    if (!located.exists) {
        TRY(remove_others(pieces, err));
        TRY(run_in(pieces->db, pieces->schema, slice_of(pieces->name), CREATE_MODEL_TABLE, NULL, 0,
                   err));
    }
    TRY(find_next(pieces, &next, err));
    return place_rows(pieces, next, pieces_bytes(), is_at_end, err);
}

enum status pieces_write(sqlite3 *db, struct slice schema, struct slice name,
                         const struct model *model, struct error *err)
{
    const struct pieces pieces = pieces_of(db, schema, name, model);
    struct transaction transaction;
    bool is_at_end = false;

    if (!sqlite3_get_autocommit(db) || !pieces_are_for(model_memory(model)))
        return STATUS_OK;
    while (!is_at_end) {
        TRY(transaction_begin(&transaction, db, err));
        TRY(transaction_end(&transaction, write_piece(&pieces, &is_at_end, err), err));
    }
    return STATUS_OK;
}

/* In the way of before SQLite 3.26, which looks at no views: one that reads the model may be there
 * before it. */
static enum status rename_table(const struct pieces *pieces, struct slice name, struct error *err)
{
    int64_t was_so;
    struct text sql;
    enum status status;

    TRY(first_integer(pieces->db, pieces->schema, SLICE(""), "PRAGMA legacy_alter_table", SLICE(""),
                      SLICE(""), &was_so, err));
    TRY(sql_execute(pieces->db, "PRAGMA legacy_alter_table = ON", err));
    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "ALTER TABLE ");
    sql_append_table(&sql, pieces->schema, slice_of(pieces->name));
    text_append_string(&sql, " RENAME TO ");
    text_append_identifier(&sql, name);
    status = sql_execute_text(pieces->db, &sql, err);
    text_deinit(&sql);
    if (!was_so)
        (void)sqlite3_exec(pieces->db, "PRAGMA legacy_alter_table = OFF", NULL, NULL, NULL);
    return status;
}

/* The table that others refer to gets the rows, in their order. */
static enum status move_rows(const struct pieces *pieces, struct slice name, struct error *err)
{
    struct text sql;
    enum status status;
    int64_t rows;

    TRY(first_integer(pieces->db, pieces->schema, slice_of(pieces->name), "SELECT count(*) FROM $",
                      SLICE(""), SLICE(""), &rows, err));
    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "INSERT INTO ");
    sql_append_table(&sql, pieces->schema, name);
    text_append_string(&sql, " (part, name, position, value, data) SELECT part, name, position, "
                             "value, data FROM ");
    sql_append_table(&sql, pieces->schema, slice_of(pieces->name));
    text_append_string(&sql, " ORDER BY rowid");
    status = sql_execute_text(pieces->db, &sql, err);
    text_deinit(&sql);
    TRY(status);
    TRY(check_written(pieces->db, rows, err));
    return drop_table(pieces->db, pieces->schema, slice_of(pieces->name), err);
}

enum status pieces_take(sqlite3 *db, struct slice schema, struct slice name, bool is_replaced,
                        const struct model *model, bool *are_in, struct error *err)
{
    const struct pieces pieces = pieces_of(db, schema, name, model);
    struct located located;
    bool is_at_end;
    uint64_t next;

    TRY(locate(db, schema, slice_of(pieces.name), &located, err));
    *are_in = located.exists;
    if (!located.exists)
        return STATUS_OK;
    TRY(find_next(&pieces, &next, err));
    TRY(place_rows(&pieces, next, SIZE_MAX, &is_at_end, err)); /* as ever there are none */
    TRY(place_rows(&pieces, 0, 1, &is_at_end, err));
    return is_replaced ? move_rows(&pieces, name, err) : rename_table(&pieces, name, err);
}
