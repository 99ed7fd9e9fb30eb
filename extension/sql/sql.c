#include "extension/sql/sql.h"

#define TEXT_ANSWER_MAX ((size_t)1 << 20)

static void append_schema(struct text *sql, const struct sql_table *table)
{
    if (table->schema.size == 0)
        return;
    text_append_identifier(sql, table->schema);
    text_append_char(sql, '.');
}

void sql_append(struct text *sql, const char *format, const struct sql_table *table)
{
    for (; *format; format++) {
        if (*format != '@') {
            text_append_char(sql, *format);
            continue;
        }
        append_schema(sql, table);
        if (format[1] == '.')
            format++;
        else
            text_append_identifier(sql, table->name);
    }
}

enum status sql_hint(struct error *err, const char *format, const struct sql_table *table)
{
    struct text hint;

    text_init(&hint, TEXT_MAXIMUM);
    sql_append(&hint, format, table);
    if (!hint.failed)
        error_hint(err, "%s", text_string(&hint));
    text_deinit(&hint);
    return err->status;
}

/* Positions count in SQL that the user never saw. */
static enum status run(struct sql_host *host, const struct database_statement *statement,
                       const struct database_rows *rows, uint64_t *affected, struct error *err)
{
    enum status status =
        host->database->query(host->database->self, statement, rows, affected, err);

    if (status != STATUS_OK)
        err->position = -1;
    return status;
}

enum status sql_run_text(struct sql_host *host, const struct text *sql,
                         const struct cell *parameters, size_t count, uint64_t *affected,
                         struct error *err)
{
    struct database_statement statement = {
        .sql = text_slice(sql), .parameters = parameters, .count = count, .is_ours = true};

    return sql->failed ? fail_no_memory(err) : run(host, &statement, NULL, affected, err);
}

static enum status run_format(struct sql_host *host, const char *format,
                              const struct sql_table *table, struct database_statement *statement,
                              const struct database_rows *rows, uint64_t *affected,
                              struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, format, table);
    statement->sql = text_slice(&sql);
    status = sql.failed ? fail_no_memory(err) : run(host, statement, rows, affected, err);
    text_deinit(&sql);
    return status;
}

enum status sql_run(struct sql_host *host, const char *format, const struct sql_table *table,
                    const struct cell *parameters, size_t count, uint64_t *affected,
                    struct error *err)
{
    struct database_statement statement = {
        .parameters = parameters, .count = count, .is_ours = true};

    return run_format(host, format, table, &statement, NULL, affected, err);
}

enum status sql_each(struct sql_host *host, const char *format, const struct sql_table *table,
                     const struct cell *parameters, size_t count, const struct database_rows *rows,
                     struct error *err)
{
    struct database_statement statement = {
        .parameters = parameters, .count = count, .is_ours = true};

    return run_format(host, format, table, &statement, rows, NULL, err);
}

struct first {
    struct arena *arena;
    struct cell *cells;
    size_t width;
    bool found;
};

static enum status keep_first(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct first *first = self;

    if (first->found)
        return STATUS_OK;
    if (count != first->width)
        return fail(err, STATUS_DATABASE, "%zu columns came where %zu were asked for", count,
                    first->width);
    first->found = true;
    for (size_t i = 0; i < count; i++) {
        first->cells[i] = cells[i];
        if (cells[i].type != CELL_TEXT && cells[i].type != CELL_BLOB)
            continue;
        if (!first->arena)
            return fail(err, STATUS_DATABASE, "a text came where a number was asked for");
        first->cells[i].text = arena_copy(first->arena, cells[i].text);
        if (!first->cells[i].text.data)
            return fail_no_memory(err);
    }
    return STATUS_OK;
}

enum status sql_first_of(struct sql_host *host, const char *format, const struct sql_table *table,
                         const struct cell *parameters, size_t count, struct arena *arena,
                         struct cell *cells, size_t width, bool *found, struct error *err)
{
    struct first first = {.arena = arena, .cells = cells, .width = width};
    struct database_rows rows = {.self = &first, .row = keep_first};

    *found = false;
    TRY(sql_each(host, format, table, parameters, count, &rows, err));
    *found = first.found;
    return STATUS_OK;
}

enum status sql_first(struct sql_host *host, const char *format, const struct cell *parameters,
                      size_t count, struct arena *arena, struct cell *cells, size_t width,
                      bool *found, struct error *err)
{
    return sql_first_of(host, format, NULL, parameters, count, arena, cells, width, found, err);
}

enum status sql_integer(struct sql_host *host, const char *format, const struct sql_table *table,
                        const struct cell *parameters, size_t count, int64_t *value,
                        struct error *err)
{
    struct cell cell = cell_null();
    bool found;

    TRY(sql_first_of(host, format, table, parameters, count, NULL, &cell, 1, &found, err));
    *value = cell.type == CELL_INTEGER ? cell.integer : 0;
    return STATUS_OK;
}

enum status sql_text_of(struct sql_host *host, const char *format, const struct cell *parameters,
                        size_t count, char *text, size_t size, struct error *err)
{
    struct cell cell = cell_null();
    struct arena arena;
    enum status status;
    bool found;

    text[0] = '\0';
    arena_init(&arena, TEXT_ANSWER_MAX);
    status = sql_first(host, format, parameters, count, &arena, &cell, 1, &found, err);
    if (status == STATUS_OK && cell.type == CELL_TEXT)
        slice_copy(cell.text, text, size);
    arena_deinit(&arena);
    return status;
}

enum status sql_run_all(struct sql_host *host, const char *const *formats,
                        const struct sql_table *table, const struct cell *parameters, size_t count,
                        struct error *err)
{
    for (; formats && *formats; formats++)
        TRY(sql_run(host, *formats, table, parameters, count, NULL, err));
    return STATUS_OK;
}

enum status sql_rename(struct sql_host *host, const struct sql_table *from, struct slice to,
                       struct error *err)
{
    const struct sql_table new_table = {{NULL, 0}, to};
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, "ALTER TABLE @ RENAME TO ", from);
    sql_append(&sql, "@", &new_table);
    status = sql_run_text(host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    return status;
}
