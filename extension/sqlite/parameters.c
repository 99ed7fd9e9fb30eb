#include "extension/sqlite/parameters.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "extension/sqlite/api/missing_name.h"
#include "extension/sqlite/api/sql.h"
#include "parser/placeholders.h"

#define EXEC_ARGUMENTS 2  /* arguments of totrain_exec() before the values */
#define POWER_MOST     62 /* the greatest power of two in a literal */

static enum status check_places(struct slice select, int count, struct error *err)
{
    const struct span span = {0, (int)select.size};
    struct placeholders places;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = placeholders_find(select, span, PLACEHOLDERS_SQLITE, &arena, &places, err);
    if (status == STATUS_OK && places.most != count)
        status =
            fail(err, STATUS_INVALID, "the SELECT has parameters of a form that cannot be bound"),
        error_hint(err, "Write them as ?, ?1, :name, @name or $name.");
    arena_deinit(&arena);
    return status;
}

static enum status list(sqlite3 *db, sqlite3_stmt *statement, struct slice select,
                        struct text *arguments, struct error *err)
{
    const int count = sqlite3_bind_parameter_count(statement);
    const int most = sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, -1) - EXEC_ARGUMENTS;

    if (count > most)
        return fail(err, STATUS_LIMIT,
                    "the SELECT has %d parameters, where at most %d are possible", count, most);
    TRY(check_places(select, count, err));
    for (int i = 1; i <= count; i++) {
        const char *name = sqlite3_bind_parameter_name(statement, i);

        text_printf(arguments, ", %s", name ? name : "?");
    }
    return arguments->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status parameters_list(sqlite3 *db, struct slice select, struct text *arguments,
                            struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;

    if (select.size == 0)
        return STATUS_OK;
    if (sql_prepare(db, select, &statement, err) != STATUS_OK)
        return hint_missing_name(db, select, err);
    status = list(db, statement, select, arguments, err);
    sqlite3_finalize(statement);
    return status;
}

/* ----- values as SQL ----- */

static bool reads_as(sqlite3 *db, struct slice literal, double value)
{
    sqlite3_stmt *statement;
    struct error ignored;
    struct text sql;
    bool has_row = false, is_same = false;

    text_init(&sql, 512);
    text_printf(&sql, "SELECT %.*s", SLICE_FORMAT(literal));
    if (sql_prepare_text(db, &sql, &statement, &ignored) == STATUS_OK) {
        if (sql_step(statement, &has_row, &ignored) == STATUS_OK && has_row) {
            const double read = sqlite3_column_double(statement, 0);

            is_same = sqlite3_column_type(statement, 0) == SQLITE_FLOAT &&
                      memcmp(&read, &value, sizeof read) == 0;
        }
        sqlite3_finalize(statement);
    }
    text_deinit(&sql);
    return is_same;
}

/* Writes a real as a whole number and powers of two: SQLite computes every bit of these. */
static void write_exactly(double value, struct text *out)
{
    int exponent;
    const double mantissa = ldexp(frexp(value, &exponent), 53);

    exponent -= 53;
    text_printf(out, "(CAST(%lld AS REAL)", (long long)mantissa);
    for (; exponent != 0;) {
        const int left = exponent < 0 ? -exponent : exponent;
        const int power = left < POWER_MOST ? left : POWER_MOST;

        text_printf(out, " %c CAST(%lld AS REAL)", exponent < 0 ? '/' : '*', 1LL << power);
        exponent += exponent < 0 ? power : -power;
    }
    text_append_char(out, ')');
}

static void write_real(sqlite3 *db, double value, struct text *out)
{
    struct text literal;

    if (isinf(value)) {
        text_append_string(out, value > 0 ? "9e999" : "(-9e999)");
        return;
    }
    text_init(&literal, 256);
    text_append_string(&literal, value < 0 || (value == 0 && signbit(value)) ? "(" : "");
    text_append_real(&literal, value);
    if (!memchr(text_string(&literal), '.', literal.size) &&
        !memchr(text_string(&literal), 'e', literal.size))
        text_append_string(&literal, ".0");
    text_append_string(&literal, text_string(&literal)[0] == '(' ? ")" : "");
    if (reads_as(db, text_slice(&literal), value))
        text_append(out, text_slice(&literal));
    else
        write_exactly(value, out);
    out->failed |= literal.failed;
    text_deinit(&literal);
}

static void write_blob(struct slice bytes, struct text *out)
{
    text_append_string(out, "x'");
    for (size_t i = 0; i < bytes.size; i++)
        text_printf(out, "%02x", (unsigned)(unsigned char)bytes.data[i]);
    text_append_char(out, '\'');
}

/* Parentheses keep a minus from another one before it, which would make a comment of both. */
static enum status write_value(sqlite3 *db, sqlite3_value *value, int number, struct text *out,
                               struct error *err)
{
    const char *bytes;
    struct slice text;

    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        text_printf(out, sqlite3_value_int64(value) < 0 ? "(%lld)" : "%lld",
                    (long long)sqlite3_value_int64(value));
        break;
    case SQLITE_FLOAT:
        write_real(db, sqlite3_value_double(value), out);
        break;
    case SQLITE_TEXT:
        bytes = (const char *)sqlite3_value_text(value);
        text = (struct slice){bytes, bytes ? (size_t)sqlite3_value_bytes(value) : 0};
        if (text.size > 0 && memchr(text.data, '\0', text.size))
            return fail(err, STATUS_INVALID, "the value of parameter %d holds a NUL byte", number);
        text_append_literal(out, text);
        break;
    case SQLITE_BLOB:
        bytes = sqlite3_value_blob(value);
        write_blob((struct slice){bytes, (size_t)sqlite3_value_bytes(value)}, out);
        break;
    default:
        text_append_string(out, "NULL");
    }
    return out->failed ? fail(err, STATUS_LIMIT, "the value of parameter %d is too large", number)
                       : STATUS_OK;
}

/* ----- the statement with them ----- */

static enum status check_count(int most, int count, int position, struct error *err)
{
    if (most == count)
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position, "the SELECT has %d parameter%s, and %d value%s given",
            most, most == 1 ? "" : "s", count, count == 1 ? " is" : "s are");
    return error_hint(err, "Write the values into the statement, or give one for each parameter: "
                           "SELECT totrain('SELECT ... ? TO ...', value).");
}

struct literals {
    struct text *texts;
    struct slice *slices;
    int count;
};

static enum status write_literals(sqlite3 *db, sqlite3_value **values, struct literals *literals,
                                  struct error *err)
{
    for (int i = 0; i < literals->count; i++) {
        text_init(&literals->texts[i], STATEMENT_BYTES_MAX);
        TRY(write_value(db, values[i], i + 1, &literals->texts[i], err));
        literals->slices[i] = text_slice(&literals->texts[i]);
    }
    return STATUS_OK;
}

static enum status fill(sqlite3 *db, struct slice statement, const struct placeholders *places,
                        sqlite3_value **values, struct arena *arena, struct text *written,
                        struct error *err)
{
    struct literals literals = {.count = places->most};
    enum status status;

    literals.texts = ARENA_NEW(arena, struct text, (size_t)literals.count + 1);
    literals.slices = ARENA_NEW(arena, struct slice, (size_t)literals.count + 1);
    if (!literals.texts || !literals.slices)
        return fail_no_memory(err);
    status = write_literals(db, values, &literals, err);
    if (status == STATUS_OK)
        placeholders_fill(statement, places, literals.slices, written);
    for (int i = 0; i < literals.count; i++)
        text_deinit(&literals.texts[i]);
    return status == STATUS_OK && written->failed ? fail_no_memory(err) : status;
}

enum status parameters_write(sqlite3 *db, struct slice statement, int count, sqlite3_value **values,
                             struct text *written, struct error *err)
{
    struct placeholders places;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = placeholders_of_statement(statement, PLACEHOLDERS_SQLITE, &arena, &places, err);
    if (status == STATUS_OK)
        status = check_count(places.most, count,
                             places.count > 0 ? places.places[0].span.start : -1, err);
    if (status == STATUS_OK)
        status = fill(db, statement, &places, values, &arena, written, err);
    arena_deinit(&arena);
    return status;
}
