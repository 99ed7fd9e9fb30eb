#include "extension/postgres/libpq/libpq_model.h"

#include <string.h>

#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/sql/sql.h"
#include "extension/sql/sql.h"

struct way {
    bool has_function, is_own, exists;
    struct text name; /* the table's, quoted */
};

static enum status keep_way(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct way *way = self;

    if (count != 3)
        return fail(err, STATUS_DATABASE, "the server gave %zu columns, not 3", count);
    way->exists = true;
    way->has_function = cell_is_true(&cells[0]);
    way->is_own = cell_is_true(&cells[1]);
    text_append(&way->name, cells[2].text);
    return way->name.failed ? fail_no_memory(err) : STATUS_OK;
}

static enum status find_way(const struct libpq *libpq, const struct model_read *read,
                            struct way *way, struct error *err)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace f ON f.oid" EQ
        "p.pronamespace WHERE f.nspname" EQ "'totrain' AND p.proname" EQ "'model_rows' "
        "AND " EXTENSION_IS_THERE " AND pg_catalog.has_schema_privilege(f.oid, 'USAGE') "
        "AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')), "
        "pg_catalog.pg_get_userbyid(c.relowner)" EQ "current_user, "
        "pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c "
        "JOIN pg_catalog.pg_namespace n ON n.oid" EQ "c.relnamespace WHERE c.oid" EQ
        "$1::pg_catalog.oid";
    const struct cell key = cell_integer(read->relation);
    const struct database_statement statement = {
        .sql = slice_of(sql), .parameters = &key, .count = 1};
    const struct database_rows rows = {.self = way, .row = keep_way};

    TRY(libpq->database.query(libpq->database.self, &statement, &rows, NULL, err));
    return way->exists ? STATUS_OK
                       : fail(err, STATUS_NOT_FOUND, "the model's table was dropped meanwhile");
}

static void append_query(const struct way *way, const struct model_read *read, struct text *sql)
{
    text_append_string(sql, "SELECT part, name, \"position\", value, data FROM ");
    if (way->has_function) {
        text_printf(sql, "totrain.model_rows(%u, %s, %s)", (unsigned)read->relation,
                    read->only_meta ? "true" : "false", read->at_once ? "true" : "false");
        return;
    }
    text_append(sql, text_slice(&way->name));
    if (read->only_meta)
        text_append_string(sql, " WHERE part" EQ "'meta'");
}

static enum status read_by(const struct libpq *libpq, const struct way *way,
                           const struct model_read *read, const struct database_rows *rows,
                           struct error *err)
{
    struct database_statement statement = {.count = 0};
    enum status status;
    struct text sql;

    if (!way->has_function && !way->is_own) {
        fail(err, STATUS_PERMISSION, "%s belongs to another role, and is not read from here",
             text_string(&way->name));
        return error_hint(err,
                          "Where the database has the extension totrain, and you are a member of "
                          "totrain_user, the server reads it without running its owner's code.");
    }
    text_init(&sql, TEXT_MAXIMUM);
    append_query(way, read, &sql);
    statement.sql = text_slice(&sql);
    status = sql.failed ? fail_no_memory(err)
                        : libpq->database.query(libpq->database.self, &statement, rows, NULL, err);
    text_deinit(&sql);
    if (status != STATUS_OK)
        err->position = -1;
    return status;
}

enum status libpq_read_model(void *self, const struct model_read *read,
                             const struct database_rows *rows, struct error *err)
{
    struct way way = {.exists = false};
    enum status status;

    text_init(&way.name, TEXT_MAXIMUM);
    status = find_way(self, read, &way, err);
    if (status == STATUS_OK)
        status = read_by(self, &way, read, rows, err);
    text_deinit(&way.name);
    return status;
}
