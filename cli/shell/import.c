#include "cli/shell/import.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/shell/csv_file.h"
#include "extension/sqlite/api/sql.h"
#include "inputs/cells/dates.h"
#include "planner/columns/column_dates.h"
#include "planner/plan/column_kind.h"

#define ROWS_BETWEEN_LOOKS 1000 /* at Ctrl-C, and for progress */
#define YEAR_DIGITS        4
#define BYTES_PREFIX       "\\x" /* before bytes in hexadecimal, as PostgreSQL writes them */

struct column_cells {
    uint64_t integers, reals, texts;
    uint64_t bytes;   /* those of the texts that are bytes in hexadecimal */
    bool has_bytes;   /* one of these, at least, is not empty, and may be stored as bytes */
    struct text blob; /* bytes of the row that is inserted */
    enum input_reading reading; /* READING_NUMBER: its texts are stored as they are */
    char date[DATE_BYTES];      /* dates of the row that is inserted */
};

struct import {
    struct session *session;
    struct csv_file file;
    struct column_cells *columns; /* (file.count) */
    struct cell_census *census;   /* census of the cells in the file, likewise */
    struct slice table;
    uint64_t rows;
    const char *doing;
    /* The second reading, into one of these. */
    sqlite3_stmt *insert;
    struct database_prepared *prepared;
    struct cell *cells; /* (file.count) */
};

/* ---- what cells are ---- */

/* "007" and "+1" are codes: written as a number they would be others. */
static bool is_number(struct slice cell, bool *is_integer, double *real, int64_t *integer)
{
    const size_t sign = cell.size > 0 && cell.data[0] == '-';

    if (cell.size == sign || cell.data[0] == '+' ||
        (cell.size > sign + 1 && cell.data[sign] == '0' && cell.data[sign + 1] >= '0' &&
         cell.data[sign + 1] <= '9'))
        return false;
    *is_integer = slice_to_integer(cell, integer);
    return *is_integer || (slice_to_real(cell, real) && isfinite(*real));
}

static bool is_bytes(struct slice cell)
{
    const size_t prefix = strlen(BYTES_PREFIX);

    if (cell.size % 2 != 0 || cell.size < prefix || memcmp(cell.data, BYTES_PREFIX, prefix) != 0)
        return false;
    for (size_t i = prefix; i < cell.size; i++)
        if (!isxdigit((unsigned char)cell.data[i]))
            return false;
    return true;
}

static bool is_numeric(const struct import *import, const struct column_cells *column)
{
    const uint64_t numbers = column->integers + column->reals;

    return numbers > 0 && (column->texts == 0 || (import->session->db && numbers > column->texts));
}

static enum cell_type type_of(const struct import *import, size_t i)
{
    const struct column_cells *column = &import->columns[i];

    if (column->has_bytes && column->bytes == column->integers + column->reals + column->texts)
        return CELL_BLOB;
    if (column->reading)
        return reading_is_of_dates(column->reading) ? CELL_TEXT : CELL_REAL;
    if (!is_numeric(import, column))
        return CELL_TEXT;
    return column->reals > 0 ? CELL_REAL : CELL_INTEGER;
}

/* ---- progress and Ctrl-C ---- */

static enum status look_around(struct import *import, uint64_t bytes, struct error *err)
{
    struct progress *progress = &import->session->progress;

    if (import->rows % ROWS_BETWEEN_LOOKS != 0)
        return STATUS_OK;
    if (session_is_interrupted())
        return fail(err, STATUS_INTERRUPTED, "interrupted: no row was imported");
    if (progress->mode != PROGRESS_AUTO || !progress->is_terminal || import->file.size == 0)
        return STATUS_OK;
    progress_erase(progress);
    fprintf(stderr, "%s: %.0f %%", import->doing, 100 * (double)bytes / (double)import->file.size);
    fflush(stderr);
    progress->is_drawn = true;
    return STATUS_OK;
}

/* ---- the first reading ---- */

static enum status count_cells(void *self, const struct slice *cells, uint64_t line, uint64_t bytes,
                               struct error *err)
{
    struct import *import = self;
    struct cell cell = {.type = CELL_TEXT};
    (void)line;

    for (size_t i = 0; i < import->file.count; i++) {
        struct column_cells *column = &import->columns[i];
        bool is_integer;
        int64_t integer;
        double real;

        if (!cells[i].data)
            continue;
        cell.text = cells[i];
        TRY(cell_count(import->census, (uint32_t)i, &cell, err));
        if (!is_number(cells[i], &is_integer, &real, &integer))
            column->texts++;
        else if (is_integer)
            column->integers++;
        else
            column->reals++;
        if (is_bytes(cells[i])) {
            column->bytes++;
            column->has_bytes |= cells[i].size > strlen(BYTES_PREFIX);
        }
    }
    import->rows++;
    return look_around(import, bytes, err);
}

/* ---- other spellings ---- */

/* The reading that TRAIN would choose for the column, unless that loses something that the texts
 * say. In PostgreSQL no cell may be left over. */
static enum input_reading numbers_reading(const struct import *import,
                                          const struct query_column *column)
{
    const bool is_clean = column_words(column) + column->missing_texts == 0;

    if (column->written_texts + column->separated_texts == 0 || column_is_unclear(column) ||
        column->code_texts > 0 || (column->numbers.currencies & (column->numbers.currencies - 1)) ||
        (column->numbers.percents > 0 &&
         column->numbers.percents <
             (uint64_t)column->numeric_texts + column->separated_texts + column->written_texts))
        return READING_NUMBER;
    return is_clean || (import->session->db && column_is_numeric(column)) ? column_reading(column)
                                                                          : READING_NUMBER;
}

static void choose_readings(struct import *import)
{
    for (size_t i = 0; i < import->file.count; i++) {
        const struct cell_counts *counts = &import->census->columns[i];
        struct query_column column = {.name = import->file.names[i]};

        query_column_take(&column, counts, cell_counts_texts(counts));
        import->columns[i].reading = numbers_reading(import, &column);
        if (column.written_dates > 0 && column_is_date(&column))
            import->columns[i].reading = column.date_reading;
    }
}

static void note(const struct import *import, const char *before, struct slice name,
                 const char *behind)
{
    struct text line;

    text_init(&line, TEXT_MAXIMUM);
    text_printf(&line, "%s \"%.*s\"%s", before, SLICE_FORMAT(name), behind);
    if (!line.failed)
        progress_notice(&import->session->progress, text_string(&line));
    text_deinit(&line);
}

static const char *told_of(enum input_reading reading)
{
    switch (reading) {
    case READING_COMMA:
        return ": numbers with a decimal comma are stored as numbers";
    case READING_DATE:
        return ": dates are stored in ISO's form, such as 2024-12-31";
    case READING_DAY_FIRST:
        return ": dates with the day first are stored in ISO's form, such as 2024-12-31";
    case READING_MONTH_FIRST:
        return ": dates with the month first are stored in ISO's form, such as 2024-12-31";
    default:
        return ": numbers with separators, signs or digits of other scripts are stored as "
               "numbers, a percent as a hundredth";
    }
}

/* Whether the text can only be a value: but a year may be the name of a column. */
static bool is_no_name(struct slice name)
{
    const enum text_kind kind = text_look_at(name).kind;
    int64_t whole;

    if (kind == TEXT_NUMBER)
        return name.size != YEAR_DIGITS || !slice_to_integer(name, &whole);
    return kind == TEXT_DATE || kind == TEXT_TIMESTAMP || kind == TEXT_WRITTEN_DATE ||
           kind == TEXT_WRITTEN;
}

/* Is the header rather a row? Where a column of numbers or dates has one as its name, too. */
static bool has_no_header(const struct import *import)
{
    for (size_t i = 0; i < import->file.count; i++) {
        const struct cell_counts *counts = &import->census->columns[i];

        if (is_no_name(import->file.names[i]) &&
            (type_of(import, i) != CELL_TEXT || import->columns[i].reading ||
             counts->texts[TEXT_DATE] + counts->texts[TEXT_TIMESTAMP] > 0))
            return true;
    }
    return false;
}

static void note_import(const struct import *import)
{
    for (size_t i = 0; i < import->file.count; i++)
        if (import->columns[i].reading)
            note(import, "column", import->file.names[i], told_of(import->columns[i].reading));
        else if (type_of(import, i) == CELL_BLOB)
            note(import, "column", import->file.names[i],
                 ": texts such as \\x89504e47 are stored as the bytes that they spell");
    if (has_no_header(import))
        note(import, "the first line was taken as the names of the columns, as",
             import->file.names[0], ", and looks like a row: put a line of names before it");
}

static struct cell spelled_cell(struct column_cells *column, struct slice text)
{
    struct cell cell = {.type = CELL_TEXT, .text = text};
    struct text_look look;
    struct date date;
    bool is_null;

    if (reading_is_of_dates(column->reading)) {
        if (date_text_read(text, column->reading, &date)) {
            date_print(&date, column->date);
            cell.text = slice_of(column->date);
        }
        return cell;
    }
    look = text_look_at(text);
    if (look.kind != TEXT_CODE &&
        text_look_number(&look, text, column->reading, &cell.real, &is_null) && !is_null &&
        isfinite(cell.real))
        cell.type = CELL_REAL;
    return cell;
}

/* ---- SQL ---- */

static void append_columns(const struct import *import, bool has_types, struct text *sql)
{
    static const char *const types[2][CELL_BLOB + 1] = {
        {[CELL_INTEGER] = " bigint",
         [CELL_REAL] = " double precision",
         [CELL_TEXT] = " text",
         [CELL_BLOB] = " bytea"},
        {[CELL_INTEGER] = " INTEGER",
         [CELL_REAL] = " REAL",
         [CELL_TEXT] = " TEXT",
         [CELL_BLOB] = " BLOB"},
    };

    text_append_string(sql, " (");
    for (size_t i = 0; i < import->file.count; i++) {
        text_append_string(sql, i ? ", " : "");
        text_append_identifier(sql, import->file.names[i]);
        if (has_types)
            text_append_string(sql, types[import->session->db != NULL][type_of(import, i)]);
    }
    text_append_string(sql, ")");
}

static void insert_sql(const struct import *import, struct text *sql)
{
    text_append_string(sql, "INSERT INTO ");
    text_append(sql, import->table);
    append_columns(import, false, sql);
    text_append_string(sql, " VALUES (");
    for (size_t i = 0; i < import->file.count; i++)
        text_printf(sql, import->session->db ? "%s?%zu" : "%s$%zu", i ? ", " : "", i + 1);
    text_append_string(sql, ")");
}

/* ---- the second reading ---- */

/* The bytes that a text spells, until the column's next row. */
static enum status bytes_cell(struct column_cells *column, struct slice text, struct cell *cell,
                              struct error *err)
{
    char pair[3] = "";

    text_clear(&column->blob);
    for (size_t i = strlen(BYTES_PREFIX); i < text.size; i += 2) {
        const char byte = (char)strtol(memcpy(pair, text.data + i, 2), NULL, 16);

        text_append(&column->blob, (struct slice){&byte, 1});
    }
    if (column->blob.failed)
        return fail_no_memory(err);
    *cell = (struct cell){.type = CELL_BLOB, .text = text_slice(&column->blob)};
    return STATUS_OK;
}

static struct cell cell_of(const struct import *import, size_t i, struct slice text)
{
    struct cell cell = {.type = CELL_NULL};
    bool is_integer;

    if (!text.data)
        return cell;
    if (import->columns[i].reading)
        return spelled_cell(&import->columns[i], text);
    cell = (struct cell){.type = CELL_TEXT, .text = text};
    if (type_of(import, i) == CELL_TEXT || !is_number(text, &is_integer, &cell.real, &cell.integer))
        return (struct cell){.type = CELL_TEXT, .text = text};
    if (is_integer && type_of(import, i) == CELL_REAL)
        cell.real = (double)cell.integer;
    cell.type = type_of(import, i);
    return cell;
}

static enum status insert_row(void *self, const struct slice *cells, uint64_t line, uint64_t bytes,
                              struct error *err)
{
    struct import *import = self;
    const struct database *database = &import->session->libpq.database;

    for (size_t i = 0; i < import->file.count; i++) {
        if (cells[i].data && type_of(import, i) == CELL_BLOB)
            TRY(bytes_cell(&import->columns[i], cells[i], &import->cells[i], err));
        else
            import->cells[i] = cell_of(import, i, cells[i]);
        if (import->insert)
            sql_bind_cell(import->insert, (int)i + 1, &import->cells[i]);
    }
    if ((import->insert ? sql_step_through(import->insert, err)
                        : database->execute(database->self, import->prepared, import->cells,
                                            err)) != STATUS_OK) {
        if (import->insert && err->status != STATUS_INTERRUPTED)
            error_hint(err, "It is the row at line %llu of the file. No row was imported.",
                       (unsigned long long)line);
        return err->status;
    }
    import->rows++;
    return look_around(import, bytes, err);
}

static enum status read_rows(struct import *import, const char *path, const char *doing,
                             enum status (*row)(void *self, const struct slice *cells,
                                                uint64_t line, uint64_t bytes, struct error *err),
                             struct error *err)
{
    const struct csv_reader reader = {.self = import, .row = row};
    enum status status;

    import->rows = 0;
    import->doing = doing;
    status = csv_file_read(&import->file, path, &reader, err);
    progress_erase(&import->session->progress);
    return status;
}

static bool has_word(const char *type, const char *word)
{
    const size_t size = strlen(word);

    for (; *type; type++)
        if (sqlite3_strnicmp(type, word, (int)size) == 0)
            return true;
    return false;
}

/* A column of texts that is there keeps texts: SQLite would store bytes in it as they are. Its rule
 * tells which types are those of texts. */
static enum status keep_texts(struct import *import, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    enum status status;
    struct text select;

    text_init(&select, TEXT_MAXIMUM);
    text_append_string(&select, "SELECT ");
    for (size_t i = 0; i < import->file.count; i++) {
        text_append_string(&select, i ? ", " : "");
        text_append_identifier(&select, import->file.names[i]);
    }
    text_append_string(&select, " FROM ");
    text_append(&select, import->table);
    status = sql_prepare_text(import->session->db, &select, &statement, err);
    for (size_t i = 0; status == STATUS_OK && i < import->file.count; i++) {
        const char *type = sqlite3_column_decltype(statement, (int)i);

        if (type && !has_word(type, "INT") &&
            (has_word(type, "CHAR") || has_word(type, "CLOB") || has_word(type, "TEXT")))
            import->columns[i].has_bytes = false;
    }
    sqlite3_finalize(statement);
    text_deinit(&select);
    return status;
}

static enum status insert_sqlite(struct import *import, const char *path, const struct text *create,
                                 const struct text *insert, struct error *err)
{
    struct transaction transaction;
    enum status status;

    TRY(transaction_begin(&transaction, import->session->db, err));
    status = sql_execute_text(import->session->db, create, err);
    if (status == STATUS_OK)
        status = sql_prepare_text(import->session->db, insert, &import->insert, err);
    if (status == STATUS_OK)
        status = keep_texts(import, err);
    if (status == STATUS_OK)
        status = read_rows(import, path, "inserting", insert_row, err);
    sqlite3_finalize(import->insert);
    return transaction_end(&transaction, status, err);
}

static enum status fill_postgres(struct import *import, const char *path, struct slice insert,
                                 struct error *err)
{
    const struct database *database = &import->session->libpq.database;
    enum cell_type types[CSV_COLUMNS_MAX];
    struct error late;
    enum status status;

    for (size_t i = 0; i < import->file.count; i++)
        types[i] = type_of(import, i);
    TRY(database->prepare(database->self, insert, types, import->file.count, &import->prepared,
                          err));
    status = read_rows(import, path, "inserting", insert_row, err);
    if (database->finish(database->self, import->prepared, &late) == STATUS_OK ||
        status != STATUS_OK)
        return status;
    *err = late;
    return late.status;
}

static enum status insert_postgres(struct import *import, const char *path,
                                   const struct text *create, const struct text *insert,
                                   struct error *err)
{
    const struct database *database = &import->session->libpq.database;
    const struct database_statement statement = {.sql = text_slice(create)};
    struct database_transaction transaction;
    enum status status;

    TRY(database->begin(database->self, &transaction, err));
    status = database->query(database->self, &statement, NULL, NULL, err);
    if (status == STATUS_OK)
        status = fill_postgres(import, path, text_slice(insert), err);
    else
        error_hint(err, "psql appends to a table: \\copy TABLE FROM 'FILE' WITH (FORMAT csv, "
                        "HEADER).");
    return database->end(database->self, &transaction, status, err);
}

enum status import_file(struct session *session, const char *path, char separator,
                        struct slice table, uint64_t *rows, struct error *err)
{
    struct import import = {.session = session, .table = table};
    struct text create, insert;
    enum status status;

    TRY(csv_file_open(path, separator, &import.file, err));
    text_init(&create, TEXT_MAXIMUM);
    text_init(&insert, TEXT_MAXIMUM);
    import.columns = calloc(import.file.count + 1, sizeof *import.columns);
    import.cells = calloc(import.file.count + 1, sizeof *import.cells);
    if (!import.columns || !import.cells) {
        status = fail_no_memory(err);
        goto done;
    }
    for (size_t i = 0; i < import.file.count; i++)
        text_init(&import.columns[i].blob, TEXT_MAXIMUM);
    TRY_OR(done, status, cell_census_new((uint32_t)import.file.count, NULL, &import.census, err));
    TRY_OR(done, status, read_rows(&import, path, "reading", count_cells, err));
    choose_readings(&import);
    text_append_string(&create,
                       import.session->db ? "CREATE TABLE IF NOT EXISTS " : "CREATE TABLE ");
    text_append(&create, import.table);
    append_columns(&import, true, &create);
    insert_sql(&import, &insert);
    if (create.failed || insert.failed)
        status = fail_no_memory(err);
    else
        status =
            (session->db ? insert_sqlite : insert_postgres)(&import, path, &create, &insert, err);
    *rows = import.rows;
    if (status == STATUS_OK)
        note_import(&import);
done:
    for (size_t i = 0; import.columns && i < import.file.count; i++)
        text_deinit(&import.columns[i].blob);
    cell_census_free(import.census);
    csv_file_close(&import.file);
    text_deinit(&create);
    text_deinit(&insert);
    free(import.columns);
    free(import.cells);
    return status;
}
