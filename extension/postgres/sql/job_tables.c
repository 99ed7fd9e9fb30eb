#include "extension/postgres/sql/job_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "extension/engine/rows/direct_order.h"
#include "extension/postgres/sql/sql.h"
#include "extension/postgres/sql/tables.h"
#include "extension/sql/sql.h"
#include "runtime/data/dataset/model_file.h"
#include "runtime/data/spool/spool.h"
#include "runtime/data/staged/staged_pieces.h"
#include "runtime/data/store/journal_sum.h"
#include "runtime/launch/job_event.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_spec.h"

#define PIECE_BYTES   ((size_t)1 << 20) /* the same as in pgstore.h */
#define ENTRIES_PAGE  64
#define REPORTS_PAGE  1000
#define SMALL_ARENA   ((size_t)1 << 20)
#define NAME_CAPACITY 64

#define STAGED_PIECES_PAGE 1000 /* staged pieces per statement */
#define CENSUS             "train.census"

static const char *const table_stems[] = {"input", "checkpoint", "result",
                                          "rows",  "server",     "snapshot"};
enum which { INPUT, CHECKPOINT, RESULT, ROWS, SERVER, SNAPSHOT, TABLES };

struct table_name {
    char name[NAME_CAPACITY];
    struct sql_table table;
};

static void name_table(const struct job_tables *tables, enum which which, struct table_name *name)
{
    snprintf(name->name, sizeof name->name, "%s_%lld", table_stems[which],
             (long long)tables->number);
    name->table = (struct sql_table){slice_of(tables->schema), slice_of(name->name)};
}

/* Not every job has all of them. */
static bool is_needed(const struct job_tables *tables, enum which which)
{
    return which < ROWS || (which == ROWS ? tables->has_rows : tables->has_servers);
}

static enum status run_on(const struct job_tables *tables, enum which which, const char *format,
                          const struct cell *parameters, size_t count, struct error *err)
{
    struct table_name name;

    name_table(tables, which, &name);
    return sql_run(tables->host, format, &name.table, parameters, count, NULL, err);
}

/* ----- may it be done? ----- */

enum answer { CAN_CREATE, LOGIN_IS_THERE, LOGIN_CAN_USE, LOGIN_CAN_CREATE, ANSWERS };

static enum status ask(const struct job_tables *tables, const char *sql,
                       const struct cell *parameters, size_t count, struct cell *answers,
                       size_t width, bool *found, struct error *err)
{
    struct arena arena;
    enum status status;

    arena_init(&arena, SMALL_ARENA);
    status = sql_first(tables->host, sql, parameters, count, &arena, answers, width, found, err);
    arena_deinit(&arena); /* the answers are numbers */
    return status;
}

static enum status check_schema(const struct job_tables *tables, struct error *err)
{
    const struct cell names[] = {cell_string(tables->schema), cell_string(tables->login)};
    struct cell answers[ANSWERS];
    bool found;

    if (!tables->login[0]) {
        fail(err, STATUS_UNSUPPORTED, "no login is named for the processes of jobs");
        return error_hint(err, "totrain.job_login in postgresql.conf names it, totrain.job_schema "
                               "where the jobs' tables are made.");
    }
    TRY(ask(tables,
            "SELECT pg_catalog.has_schema_privilege(n.oid, 'CREATE'), r.oid IS NOT NULL, "
            "pg_catalog.has_schema_privilege(r.oid, n.oid, 'USAGE'), "
            "pg_catalog.has_schema_privilege(r.oid, n.oid, 'CREATE') "
            "FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_roles r ON r.rolname" EQ
            "$2::pg_catalog.name WHERE n.nspname" EQ "$1::pg_catalog.name",
            names, 2, answers, ANSWERS, &found, err));
    if (!found || !cell_is_true(&answers[CAN_CREATE])) {
        fail(err, STATUS_PERMISSION, "the jobs' tables cannot be made in schema \"%s\"",
             tables->schema);
        return error_hint(err,
                          "CREATE SCHEMA %s; GRANT USAGE, CREATE ON SCHEMA %s TO "
                          "totrain_user; (totrain.job_schema names it)",
                          SQL_NAME(slice_of(tables->schema)), SQL_NAME(slice_of(tables->schema)));
    }
    if (!cell_is_true(&answers[LOGIN_IS_THERE]) || !cell_is_true(&answers[LOGIN_CAN_USE])) {
        fail(err, STATUS_PERMISSION, "role \"%s\" cannot reach schema \"%s\"", tables->login,
             tables->schema);
        return error_hint(err, "GRANT USAGE ON SCHEMA %s TO %s;",
                          SQL_NAME(slice_of(tables->schema)), SQL_NAME(slice_of(tables->login)));
    }
    if (!cell_is_true(&answers[LOGIN_CAN_CREATE]))
        return STATUS_OK;
    fail(err, STATUS_PERMISSION, "role \"%s\" may create tables in schema \"%s\"", tables->login,
         tables->schema);
    return error_hint(err,
                      "The login of the jobs' processes may have no right but those that "
                      "each job gives it: REVOKE CREATE ON SCHEMA %s FROM %s;",
                      SQL_NAME(slice_of(tables->schema)), SQL_NAME(slice_of(tables->login)));
}

/* A superuser, a member of the caller, default privileges: no matter why. */
static enum status check_rights(const struct job_tables *tables, struct error *err)
{
    for (int which = INPUT; which < TABLES; which++) {
        struct table_name name;
        struct cell answer, parameters[4];
        bool found;

        if (!is_needed(tables, (enum which)which))
            continue;
        name_table(tables, (enum which)which, &name);
        parameters[0] = cell_string(tables->login);
        parameters[1] = cell_string(tables->schema);
        parameters[2] = cell_string(name.name);
        parameters[3] = cell_string(which == INPUT ? "INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER"
                                    : which == SNAPSHOT ? "UPDATE, TRUNCATE, TRIGGER"
                                                        : "UPDATE, DELETE, TRUNCATE, TRIGGER");
        TRY(ask(tables,
                "SELECT pg_catalog.has_table_privilege($1::pg_catalog.name, c.oid, "
                "$4::pg_catalog.text) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
                "ON n.oid" EQ "c.relnamespace WHERE n.nspname" EQ "$2::pg_catalog.name AND "
                "c.relname" EQ "$3::pg_catalog.name",
                parameters, 4, &answer, 1, &found, err));
        if (!found || cell_is_true(&answer)) {
            fail(err, STATUS_PERMISSION,
                 "role \"%s\" has more rights to the job's tables than it "
                 "may have",
                 tables->login);
            return error_hint(err, "It is a superuser, a member of the role that submits, or has "
                                   "default privileges. Use a login of its own.");
        }
    }
    return STATUS_OK;
}

/* ----- making ----- */

static enum status take_number(struct job_tables *tables, struct error *err)
{
    struct cell number = {.type = CELL_NULL};
    bool found;

    TRY(ask(tables, "SELECT pg_catalog.nextval('totrain.job_number')", NULL, 0, &number, 1, &found,
            err));
    tables->number = number.type == CELL_INTEGER ? number.integer : 0;
    return tables->number > 0 ? STATUS_OK
                              : fail(err, STATUS_DATABASE, "totrain.job_number gave no number");
}

/* Nobody but a server has use for its old snapshots, which are as large as its rows. */
static const char *rights_of(enum which which)
{
    if (which == INPUT)
        return "GRANT SELECT ON @ TO ";
    return which == SNAPSHOT ? "GRANT SELECT, INSERT, DELETE ON @ TO "
                             : "GRANT SELECT, INSERT ON @ TO ";
}

static enum status grant(const struct job_tables *tables, enum which which, struct error *err)
{
    struct table_name name;
    enum status status;
    struct text sql;

    name_table(tables, which, &name);
    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, rights_of(which), &name.table);
    text_append_identifier(&sql, slice_of(tables->login));
    status = sql_run_text(tables->host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    return status;
}

/* Pieces are not compressed. Those that workers stage lie in the table's own pages, if these are as
 * large as the pieces were made for. */
static enum status set_storage(const struct job_tables *tables, enum which which, struct error *err)
{
    struct cell is_large = {.type = CELL_NULL};
    bool found;

    if (which == RESULT || which == SERVER)
        return STATUS_OK;
    if (which == ROWS)
        TRY(ask(tables,
                "SELECT pg_catalog.current_setting('block_size')::pg_catalog.int4 "
                "OPERATOR(pg_catalog.>=) 8192",
                NULL, 0, &is_large, 1, &found, err));
    return run_on(tables, which,
                  cell_is_true(&is_large)
                      ? "ALTER TABLE @ ALTER COLUMN file SET STORAGE PLAIN, ALTER COLUMN "
                        "bytes SET STORAGE PLAIN"
                      : "ALTER TABLE @ ALTER COLUMN bytes SET STORAGE EXTERNAL",
                  NULL, 0, err);
}

static enum status make_tables(const struct job_tables *tables, struct error *err)
{
    static const char *const columns[] = {
        [INPUT] = "CREATE TABLE @ (file pg_catalog.text NOT NULL, piece pg_catalog.int8 NOT NULL, "
                  "bytes pg_catalog.bytea NOT NULL, PRIMARY KEY (file, piece))",
        [CHECKPOINT] = "CREATE TABLE @ (checkpoint pg_catalog.int8 NOT NULL, piece "
                       "pg_catalog.int8 NOT NULL, bytes pg_catalog.bytea NOT NULL, PRIMARY KEY "
                       "(checkpoint, piece))",
        [RESULT] = "CREATE TABLE @ (number pg_catalog.int8 PRIMARY KEY, master pg_catalog.int8 "
                   "NOT NULL, kind pg_catalog.text NOT NULL, body pg_catalog.bytea NOT NULL, data "
                   "pg_catalog.bytea, at pg_catalog.timestamptz NOT NULL DEFAULT "
                   "pg_catalog.clock_timestamp())",
        [ROWS] = "CREATE TABLE @ (file pg_catalog.text NOT NULL, piece pg_catalog.int8 NOT NULL, "
                 "bytes pg_catalog.bytea NOT NULL, PRIMARY KEY (file, piece))",
        [SERVER] =
            "CREATE TABLE @ (server pg_catalog.int8 NOT NULL, number pg_catalog.int8 NOT "
            "NULL, master pg_catalog.int8 NOT NULL, kind pg_catalog.text NOT NULL, body "
            "pg_catalog.bytea NOT NULL, data pg_catalog.bytea, PRIMARY KEY (server, number))",
        [SNAPSHOT] = "CREATE TABLE @ (server pg_catalog.int8 NOT NULL, checkpoint pg_catalog.int8 "
                     "NOT NULL, piece pg_catalog.int8 NOT NULL, bytes pg_catalog.bytea NOT NULL, "
                     "PRIMARY KEY (server, checkpoint, piece))"};

    for (int which = INPUT; which < TABLES; which++) {
        if (!is_needed(tables, (enum which)which))
            continue;
        TRY(run_on(tables, (enum which)which, columns[which], NULL, 0, err));
        TRY(run_on(tables, (enum which)which, "REVOKE ALL ON @ FROM PUBLIC", NULL, 0, err));
        TRY(set_storage(tables, (enum which)which, err));
        TRY(grant(tables, (enum which)which, err));
    }
    return check_rights(tables, err);
}

/* ----- the rows ----- */

struct upload {
    const struct job_tables *tables;
    const struct staging *staging;
    struct database_prepared *prepared;
    char *piece;  /* PIECE_BYTES */
    cJSON *files; /* an array: what was put */
};

static enum status put_piece(struct upload *upload, const char *name, int64_t number, size_t size,
                             struct error *err)
{
    const struct database *database = upload->tables->host->database;
    const struct cell cells[] = {cell_string(name),
                                 cell_integer(number),
                                 {.type = CELL_BLOB, .text = {upload->piece, size}}};

    if (database->interrupted(database->self))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    return database->execute(database->self, upload->prepared, cells, err);
}

static enum status put_pieces(struct upload *upload, int file, const char *name, int64_t *bytes,
                              struct error *err)
{
    int64_t number = 0;
    size_t size = 0;

    *bytes = 0;
    for (;;) {
        const ssize_t got = read(file, upload->piece + size, PIECE_BYTES - size);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(err, STATUS_IO, "cannot read the job's rows");
        size += (size_t)got;
        *bytes += got;
        if (size == PIECE_BYTES || (got == 0 && size > 0)) {
            TRY(put_piece(upload, name, number++, size, err));
            size = 0;
        }
        if (got == 0)
            return STATUS_OK;
    }
}

/* NOT_FOUND: there is no such file. */
static enum status put_file(struct upload *upload, const char *name, struct error *err)
{
    char path[PATH_MAX];
    cJSON *entry;
    int64_t bytes;
    enum status status;
    int file;

    TRY(job_folder_file(upload->staging->folder, name, path, err));
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT)
        return STATUS_NOT_FOUND;
    if (file < 0)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    status = put_pieces(upload, file, name, &bytes, err);
    close(file);
    TRY(status);
    if (!upload->staging->keeps_rows || strcmp(name, MODEL_FILE) == 0)
        (void)unlink(path); /* the room is needed for the next */
    entry = cJSON_CreateObject();
    json_add_string(entry, "name", slice_of(name));
    json_add_integer(entry, "bytes", bytes);
    json_append(upload->files, entry);
    return STATUS_OK;
}

/* A spool's first file, and those of its other writers. */
static enum status put_spool(struct upload *upload, const char *stem, struct error *err)
{
    enum status status = STATUS_OK;
    char name[NAME_CAPACITY];

    for (int i = 0; i < SPOOL_FILES_MAX && status == STATUS_OK; i++) {
        if (i == 0)
            snprintf(name, sizeof name, "%s.spool", stem);
        else
            snprintf(name, sizeof name, "%s.%d.spool", stem, i);
        status = put_file(upload, name, err);
    }
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/* Rows to be scored, and the model. */
static enum status put_scored(struct upload *upload, struct error *err)
{
    enum status status;

    TRY(put_spool(upload, "rows", err));
    status = put_file(upload, MODEL_FILE, err);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status put_spools(struct upload *upload, struct error *err)
{
    const enum status status = put_file(upload, DIRECT_FILE, err);

    if (status != STATUS_NOT_FOUND)
        return status; /* there are no spools */
    TRY(put_spool(upload, "train", err));
    TRY(put_spool(upload, "validation", err));
    return put_scored(upload, err);
}

static enum status finish(struct upload *upload, enum status so_far, struct error *err)
{
    const struct database *database = upload->tables->host->database;
    struct error late;
    const enum status status = database->finish(database->self, upload->prepared, &late);

    if (so_far == STATUS_OK && status != STATUS_OK)
        *err = late;
    return so_far == STATUS_OK ? status : so_far;
}

static enum status upload_rows(struct upload *upload, struct error *err)
{
    static const enum cell_type types[] = {CELL_TEXT, CELL_INTEGER, CELL_BLOB};
    const struct database *database = upload->tables->host->database;
    struct table_name name;
    struct text sql;
    enum status status;

    name_table(upload->tables, INPUT, &name);
    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, "INSERT INTO @ (file, piece, bytes) VALUES ($1, $2, $3)", &name.table);
    status = sql.failed ? fail_no_memory(err)
                        : database->prepare(database->self, text_slice(&sql), types, 3,
                                            &upload->prepared, err);
    text_deinit(&sql);
    TRY(status);
    return finish(upload, put_spools(upload, err), err);
}

/* ----- the first two entries ----- */

static enum status put_entry(const struct job_tables *tables, int64_t number,
                             enum journal_kind kind, struct slice body, struct cell data,
                             struct error *err)
{
    const struct cell cells[] = {cell_integer(number),
                                 cell_string(journal_kind_name(kind)),
                                 {.type = CELL_BLOB, .text = body},
                                 data};

    return run_on(tables, RESULT,
                  "INSERT INTO @ (number, master, kind, body, data) VALUES ($1, 0, $2, $3, "
                  "$4::pg_catalog.bytea)",
                  cells, 4, err);
}

static enum status put_spec(const struct upload *upload, struct error *err)
{
    unsigned char lot[8];
    struct jobspec spec;
    struct arena arena;
    struct text json;
    enum status status;

    if (getrandom(lot, sizeof lot, 0) != (ssize_t)sizeof lot)
        return fail_errno(err, STATUS_IO, "there are no random numbers");
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, JOBSPEC_BYTES_MAX);
    status = job_read_spec(upload->staging->folder->path, &arena, &spec, &json, err);
    if (status == STATUS_OK)
        status = put_entry(
            upload->tables, 1, JOURNAL_SPEC, text_slice(&json),
            (struct cell){.type = CELL_BLOB, .text = {(const char *)lot, sizeof lot}}, err);
    text_deinit(&json);
    arena_deinit(&arena);
    return status;
}

/* Takes the files. */
static enum status put_input(struct upload *upload, struct slice schema, struct error *err)
{
    cJSON *body = cJSON_CreateObject();
    struct text json;
    enum status status;

    json_add(body, "files", upload->files);
    upload->files = NULL;
    json_add_string(body, "schema", schema);
    json_add_string(body, "table", upload->staging->table);
    text_init(&json, JOURNAL_ROW_BYTES_MAX);
    status = json_print(body, false, &json, err);
    journal_sum_append(&json, 0, JOURNAL_INPUT, NULL);
    if (status == STATUS_OK && json.failed)
        status = fail_no_memory(err);
    if (status == STATUS_OK)
        status = put_entry(upload->tables, 2, JOURNAL_INPUT, text_slice(&json), cell_null(), err);
    text_deinit(&json);
    cJSON_Delete(body);
    return status;
}

static enum status fill_tables(struct upload *upload, struct error *err)
{
    struct slice schema = upload->staging->schema;
    char buffer[SQL_NAME_BYTES];

    if (upload->staging->table.size > 0)
        TRY(postgres_target_schema(upload->tables->host, &schema, buffer, err));
    TRY(put_spec(upload, err));
    TRY(upload_rows(upload, err));
    return put_input(upload, schema, err);
}

/* Are its workers to stage the rows, and are there servers? */
static enum status find_kind(struct job_tables *tables, const struct staging *staging,
                             struct error *err)
{
    char path[PATH_MAX];
    struct jobspec spec;
    enum status status;
    struct arena arena;
    struct text json;

    TRY(job_folder_file(staging->folder, DIRECT_FILE, path, err));
    tables->has_rows = access(path, F_OK) == 0;
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, JOBSPEC_BYTES_MAX);
    status = job_read_spec(staging->folder->path, &arena, &spec, &json, err);
    tables->has_servers = status == STATUS_OK && spec.servers > 0;
    text_deinit(&json);
    arena_deinit(&arena);
    return status;
}

enum status job_tables_make(struct job_tables *tables, const struct staging *staging,
                            struct error *err)
{
    struct upload upload = {.tables = tables, .staging = staging};
    enum status status;

    TRY(check_schema(tables, err));
    TRY(sql_run(tables->host, "SELECT totrain.sweep_jobs()", NULL, NULL, 0, NULL, err));
    TRY(take_number(tables, err));
    TRY(find_kind(tables, staging, err));
    TRY(make_tables(tables, err));
    upload.piece = malloc(PIECE_BYTES);
    if (!upload.piece)
        return fail_no_memory(err);
    upload.files = cJSON_CreateArray();
    status = fill_tables(&upload, err);
    cJSON_Delete(upload.files);
    free(upload.piece);
    return status;
}

/* ----- reading ----- */

struct page {
    journal_reader *each;
    void *context;
    int64_t last;
    int rows;
};

static enum status read_entry(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct page *page = self;
    struct journal_entry entry = {.number = cells[0].integer,
                                  .master = cells[1].integer,
                                  .body = cells[3].text,
                                  .data = cells[4].text,
                                  .has_data = cells[4].type == CELL_BLOB};

    if (count != 6 || cells[0].type != CELL_INTEGER || cells[1].type != CELL_INTEGER ||
        cells[2].type != CELL_TEXT || cells[3].type != CELL_BLOB ||
        (!entry.has_data && !cell_is_true(&cells[5])))
        return fail(err, STATUS_CORRUPT, "entry %lld of the job's journal is too large",
                    (long long)entry.number);
    if (!entry.has_data)
        entry.data = (struct slice){"", 0};
    TRY(journal_kind_of(cells[2].text, &entry.kind, err));
    page->rows++;
    page->last = entry.number;
    return page->each(page->context, &entry, err);
}

static enum status read_journal(void *self, int64_t after, journal_reader *each, void *context,
                                struct error *err)
{
    const struct job_tables *tables = self;
    struct page page = {each, context, after, ENTRIES_PAGE};
    const struct database_rows rows = {.self = &page, .row = read_entry};
    struct table_name name;

    name_table(tables, RESULT, &name);
    while (page.rows == ENTRIES_PAGE) {
        const struct cell parameters[] = {
            cell_integer(page.last), cell_integer(JOURNAL_BODY_BYTES_MAX),
            cell_integer(JOURNAL_DATA_BYTES_MAX), cell_integer(ENTRIES_PAGE)};

        page.rows = 0;
        TRY(sql_each(tables->host,
                     "SELECT number, master, kind, CASE WHEN pg_catalog.octet_length(body) "
                     "OPERATOR(pg_catalog.<=) $2 THEN body END, CASE WHEN "
                     "pg_catalog.octet_length(data) OPERATOR(pg_catalog.<=) $3 THEN data END, data "
                     "IS NULL FROM @ WHERE number OPERATOR(pg_catalog.>) $1 ORDER BY number LIMIT "
                     "$4",
                     &name.table, parameters, 4, &rows, err));
    }
    return STATUS_OK;
}

/* ----- what the session hears ----- */

struct reports {
    const struct report_reader *reader;
    int64_t *after;
    int64_t rows; /* the page has had */
    bool is_full; /* the reader takes no more */
};

static enum status read_report(void *self, const struct cell *cells, size_t count,
                               struct error *err)
{
    struct reports *reports = self;

    if (count != 2 || cells[0].type != CELL_INTEGER)
        return fail(err, STATUS_CORRUPT, "the job's journal has an entry without a number");
    /* A second line would be a word to the supervisor. */
    if (cells[1].type == CELL_BLOB && memchr(cells[1].text.data, '\n', cells[1].text.size))
        return fail(err, STATUS_CORRUPT, "entry %lld of the job's journal is no line",
                    (long long)cells[0].integer);
    if (!reports->is_full && cells[1].type == CELL_BLOB)
        reports->is_full = !reports->reader->take(reports->reader->context, cells[1].text);
    reports->rows++;
    if (!reports->is_full)
        *reports->after = cells[0].integer;
    return STATUS_OK;
}

/* Nobody is told twice what stands between two reports: of a large model, the rows. */
enum status job_tables_read_reports(const struct job_tables *tables, int64_t *after,
                                    const struct report_reader *reader, struct error *err)
{
    struct reports reports = {.reader = reader, .after = after, .rows = REPORTS_PAGE};
    const struct database_rows rows = {.self = &reports, .row = read_report};
    struct table_name name;

    name_table(tables, RESULT, &name);
    while (reports.rows == REPORTS_PAGE && !reports.is_full) {
        const struct cell parameters[] = {cell_integer(*after),
                                          cell_integer(LAUNCH_EVENT_BYTES_MAX / 2),
                                          cell_integer(REPORTS_PAGE)};

        reports.rows = 0;
        TRY(sql_each(tables->host,
                     "SELECT number, CASE WHEN kind" EQ "'report' AND "
                     "pg_catalog.octet_length(body) OPERATOR(pg_catalog.<) $2 THEN body END FROM @ "
                     "WHERE number OPERATOR(pg_catalog.>) $1 ORDER BY number LIMIT $3",
                     &name.table, parameters, 3, &rows, err));
    }
    return STATUS_OK;
}

/* ----- what the workers have staged ----- */

static enum status note_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    (void)cells;
    (void)count;
    (void)err;
    *(bool *)self = true;
    return STATUS_OK;
}

struct pieces {
    struct text *bytes;
    int64_t count, page; /* page: of them in this query */
};

static enum status read_piece(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct pieces *pieces = self;

    if (count != 2 || cells[0].type != CELL_INTEGER || cells[0].integer != pieces->count ||
        cells[1].type != CELL_BLOB)
        return fail(err, STATUS_CORRUPT, "the rows that were staged lie in other pieces");
    text_append(pieces->bytes, cells[1].text);
    pieces->count++;
    pieces->page++;
    return pieces->bytes->failed
               ? fail(err, STATUS_LIMIT, "a file of the rows that were staged is too large")
               : STATUS_OK;
}

static enum status read_pieces(const struct job_tables *tables, enum which which, const char *file,
                               struct text *bytes, struct error *err)
{
    struct pieces pieces = {.bytes = bytes, .page = STAGED_PIECES_PAGE};
    const struct database_rows rows = {.self = &pieces, .row = read_piece};
    struct table_name name;

    name_table(tables, which, &name);
    while (pieces.page == STAGED_PIECES_PAGE) {
        const struct cell parameters[] = {cell_string(file), cell_integer(pieces.count),
                                          cell_integer(STAGED_PIECE_BYTES),
                                          cell_integer(STAGED_PIECES_PAGE)};

        pieces.page = 0;
        TRY(sql_each(tables->host,
                     "SELECT piece, CASE WHEN pg_catalog.octet_length(bytes) "
                     "OPERATOR(pg_catalog.<=) $3 THEN bytes END FROM @ WHERE file" EQ
                     "$1 AND piece OPERATOR(pg_catalog.>=) $2 ORDER BY piece LIMIT $4",
                     &name.table, parameters, 4, &rows, err));
    }
    return pieces.count > 0 ? STATUS_OK
                            : fail(err, STATUS_NOT_FOUND, "%s of job %lld is not there", file,
                                   (long long)tables->number);
}

enum status job_tables_read_staged(const struct job_tables *tables, const char *file,
                                   struct text *bytes, struct error *err)
{
    return read_pieces(tables, ROWS, file, bytes, err);
}

/* In the one table into which the login of the job's processes cannot write. */
#define VERDICT "verdict"

enum status job_tables_keep_verdict(const struct job_tables *tables, struct slice json,
                                    struct error *err)
{
    const struct cell cells[] = {{.type = CELL_BLOB, .text = json}};

    return run_on(tables, INPUT, "INSERT INTO @ (file, piece, bytes) VALUES ('" VERDICT "', 0, $1)",
                  cells, 1, err);
}

/* Not every job has the table of staged rows. */
static enum status has_census(const struct job_tables *tables, bool *has, struct error *err)
{
    struct cell answer = {.type = CELL_NULL}, names[2];
    struct table_name name;
    bool found;

    *has = false;
    name_table(tables, ROWS, &name);
    names[0] = cell_string(tables->schema);
    names[1] = cell_string(name.name);
    TRY(ask(tables,
            "SELECT 1::pg_catalog.int8 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
            "ON n.oid" EQ "c.relnamespace WHERE n.nspname" EQ "$1::pg_catalog.name AND c.relname" EQ
            "$2::pg_catalog.name",
            names, 2, &answer, 1, &found, err));
    if (!found)
        return STATUS_OK;
    return sql_each(tables->host, "SELECT 1::pg_catalog.int8 FROM @ WHERE file" EQ "$1 LIMIT 1",
                    &name.table, (struct cell[]){cell_string(CENSUS)}, 1,
                    &(struct database_rows){.self = has, .row = note_row}, err);
}

static enum status read_verdict(void *self, struct text *json, struct error *err)
{
    const struct job_tables *tables = self;
    enum status status;
    bool has;

    TRY(has_census(tables, &has, err));
    if (!has)
        return STATUS_OK;
    status = read_pieces(tables, INPUT, VERDICT, json, err);
    if (status != STATUS_NOT_FOUND)
        return status;
    fail(err, STATUS_INVALID, "the session that sent job %lld has not decided what its columns are",
         (long long)tables->number);
    return error_hint(err, "With job.read = 'direct' the columns are decided by all rows, which "
                           "the workers count while they stage them. Run the statement again.");
}

void job_tables_find(struct job_tables *tables, int64_t number)
{
    tables->number = number;
    tables->journal =
        (struct journal){.self = tables, .read = read_journal, .read_verdict = read_verdict};
}

/* ----- whose it is ----- */

enum status job_tables_check_owner(const struct job_tables *tables, struct error *err)
{
    struct cell names[2], answers[2];
    struct table_name name;
    struct arena arena;
    enum status status;
    bool found;

    name_table(tables, RESULT, &name);
    names[0] = cell_string(tables->schema);
    names[1] = cell_string(name.name);
    arena_init(&arena, SMALL_ARENA);
    status = sql_first(
        tables->host,
        "SELECT pg_catalog.pg_get_userbyid(c.relowner), c.relowner" NE
        "u.oid AND u.rolsuper FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" EQ
        "c.relnamespace JOIN pg_catalog.pg_roles u ON u.rolname" EQ
        "current_user WHERE n.nspname" EQ "$1::pg_catalog.name AND c.relname" EQ
        "$2::pg_catalog.name",
        names, 2, &arena, answers, 2, &found, err);
    if (status == STATUS_OK && found && cell_is_true(&answers[1])) {
        status = fail(err, STATUS_PERMISSION, "job %lld belongs to role \"%.*s\"",
                      (long long)tables->number, SLICE_FORMAT(answers[0].text));
        error_hint(err,
                   "The model would be a superuser's, where that role wants it: SET ROLE first.");
    }
    arena_deinit(&arena);
    return status;
}

enum status job_tables_owner(const struct job_tables *tables, int64_t *owner, struct error *err)
{
    struct cell answer = cell_integer(0);
    struct table_name name;
    bool found;

    name_table(tables, INPUT, &name);
    TRY(ask(tables,
            "SELECT c.relowner::pg_catalog.int8 FROM pg_catalog.pg_class c JOIN "
            "pg_catalog.pg_namespace n ON n.oid" EQ "c.relnamespace WHERE n.nspname" EQ
            "$1::pg_catalog.name AND c.relname" EQ "$2::pg_catalog.name",
            (struct cell[]){cell_string(tables->schema), cell_string(name.name)}, 2, &answer, 1,
            &found, err));
    *owner = found ? answer.integer : 0;
    return STATUS_OK;
}

/* ----- the end ----- */

/* The mark is a row of the one table into which the login of the job's processes cannot write.
 * pgstore.h has the name, too. */
#define OVER "over"
#define INSERT_OVER                                                                                \
    "INSERT INTO @ (file, piece, bytes) VALUES ('" OVER "', 0, ''::pg_catalog.bytea)"

enum status job_tables_are_over(const struct job_tables *tables, bool *are_over, struct error *err)
{
    const struct database_rows rows = {.self = are_over, .row = note_row};
    struct table_name name;

    *are_over = false;
    name_table(tables, INPUT, &name);
    return sql_each(tables->host, "SELECT 1::pg_catalog.int8 FROM @ WHERE file" EQ "'" OVER "'",
                    &name.table, NULL, 0, &rows, err);
}

enum status job_tables_check_use(const struct job_tables *tables, struct error *err)
{
    bool are_there, are_over;

    TRY(job_tables_are_there(tables, &are_there, err));
    if (!are_there)
        return fail(err, STATUS_NOT_FOUND, "the tables of job %lld are gone",
                    (long long)tables->number);
    TRY(job_tables_are_over(tables, &are_over, err));
    return are_over ? fail(err, STATUS_NOT_FOUND,
                           "job %lld was published or given up before, and its tables are about "
                           "to be dropped",
                           (long long)tables->number)
                    : STATUS_OK;
}

enum status job_tables_end(const struct job_tables *tables, struct error *err)
{
    return run_on(tables, INPUT, INSERT_OVER, NULL, 0, err);
}

enum status job_tables_end_again(const struct job_tables *tables, struct error *err)
{
    return run_on(tables, INPUT, INSERT_OVER " ON CONFLICT (file, piece) DO NOTHING", NULL, 0, err);
}

enum status job_tables_release(const struct job_tables *tables, struct error *err)
{
    const struct cell number = cell_integer(tables->number);

    return sql_run(tables->host, "SELECT totrain.discard($1)", NULL, &number, 1, NULL, err);
}

static enum status is_there(const struct job_tables *tables, enum which which, bool *is_there,
                            struct error *err)
{
    struct table_name name;
    struct cell answer;

    name_table(tables, which, &name);
    return ask(tables,
               "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" EQ
               "c.relnamespace WHERE n.nspname" EQ "$1::pg_catalog.name AND c.relname" EQ
               "$2::pg_catalog.name",
               (struct cell[]){cell_string(tables->schema), cell_string(name.name)}, 2, &answer, 1,
               is_there, err);
}

enum status job_tables_are_there(const struct job_tables *tables, bool *are_there,
                                 struct error *err)
{
    return is_there(tables, RESULT, are_there, err);
}

/* No table goes before all of them can. */
enum status job_tables_drop(const struct job_tables *tables, struct error *err)
{
    struct job_tables there = *tables;

    TRY(is_there(tables, ROWS, &there.has_rows, err));
    TRY(is_there(tables, SERVER, &there.has_servers, err));
    for (int which = INPUT; which < TABLES; which++)
        if (is_needed(&there, (enum which)which))
            TRY(run_on(tables, (enum which)which, "LOCK TABLE @ IN ACCESS EXCLUSIVE MODE", NULL, 0,
                       err));
    for (int which = INPUT; which < TABLES; which++)
        if (is_needed(&there, (enum which)which))
            TRY(run_on(tables, (enum which)which, "DROP TABLE @", NULL, 0, err));
    return STATUS_OK;
}
