#include "cli/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session/cluster_jobs.h"
#include "cli/session/next_step.h"
#include "extension/engine/engine.h"
#include "extension/postgres/libpq/database_libpq.h"
#include "extension/postgres/libpq/libpq_host.h"
#include "extension/sqlite/run.h"
#include "parser/refused.h"

#define BUSY_TIMEOUT_MS     5000
#define STEPS_BETWEEN_LOOKS 10000 /* steps of SQLite's machine: well below a millisecond */

/* SIGINT: what runs in SQLite is interrupted at once; what waits for a job
 * looks at the counter. A signal handler has no argument, hence these two. */
static volatile sig_atomic_t interrupts;
static sqlite3 *volatile interrupted_db;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupts++;
    if (interrupted_db)
        sqlite3_interrupt(interrupted_db);
}

/* Catches the signals that interrupt. Code that waits for PostgreSQL looks at the counter. */
static void catch_signals(sqlite3 *db)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    interrupted_db = db;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* a reader that goes is an error of write() */
}

void session_catch_termination(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
}

/* sqlite3_interrupt() is forgotten where no statement has begun its first step
 * yet; this is asked while it runs. */
static int stop_where_interrupted(void *ignored)
{
    (void)ignored;
    return interrupts > 0;
}

void session_interrupt(void)
{
    on_interrupt(SIGINT);
}

bool session_is_interrupted(void)
{
    return interrupts > 0;
}

void session_clear_interrupt(void)
{
    interrupts = 0;
}

static enum status find_program(char path[PATH_MAX], struct error *err)
{
    ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (size < 0)
        return fail_errno(err, STATUS_IO, "/proc/self/exe");
    path[size] = '\0';
    return STATUS_OK;
}

static enum status refuse_file(struct sqlite3 *db, const char *path, struct error *err)
{
    const int reason = db ? sqlite3_system_errno(db) : 0;

    if (reason)
        return fail(err, STATUS_CONNECTION, "%s: %s: %s", path, sqlite3_errmsg(db),
                    strerror(reason));
    return fail(err, STATUS_CONNECTION, "%s: %s", path, db ? sqlite3_errmsg(db) : "out of memory");
}

/* SQLite looks into the file with the first statement, which is not to blame. */
static enum status check_is_database(struct sqlite3 *db, const char *path, struct error *err)
{
    if (sqlite3_exec(db, "PRAGMA schema_version", NULL, NULL, NULL) != SQLITE_NOTADB)
        return STATUS_OK; /* whatever else is wrong belongs to the statements that meet it */
    fail(err, STATUS_CONNECTION, "%s is no SQLite database", path);
    return error_hint(err, "A file of statements is run with -f: totrain DB -f %s", path);
}

static enum status open_sqlite(struct session *session, const char *path, const char *program,
                               struct error *err)
{
    if (sqlite3_open_v2(path, &session->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI |
                            SQLITE_OPEN_NOMUTEX, /* one thread of the program uses it */
                        NULL) != SQLITE_OK)
        return refuse_file(session->db, path, err);
    TRY(check_is_database(session->db, path, err));
    sqlite3_busy_timeout(session->db, BUSY_TIMEOUT_MS);
    sqlite_host_init(&session->sqlite, session->db, program);
    session->sqlite.interrupts = &interrupts;
    session->host = &session->sqlite.sql.host;
    sqlite3_progress_handler(session->db, STEPS_BETWEEN_LOOKS, stop_where_interrupted, NULL);
    catch_signals(session->db);
    return run_open(session->db, program, err);
}

static void put_server_notice(void *self, const char *severity, const char *message)
{
    struct session *session = self;
    char line[1024];

    if (strcmp(severity, "NOTICE") == 0)
        snprintf(line, sizeof line, "%s", message);
    else
        snprintf(line, sizeof line, "%s: %s", severity, message);
    progress_notice(&session->progress, line);
}

/* Without an echo, from the terminal that the program was started at. */
static enum status ask_password(struct session *session, const char *address, struct error *err)
{
    char *password = getpass("Password: ");
    enum status status;

    if (!password)
        return err->status; /* why it is not connected */
    libpq_close(&session->libpq);
    status = libpq_open(&session->libpq, address, password, err);
    explicit_bzero(password, strlen(password));
    return status;
}

/* Until it is connected, Ctrl-C ends the program. */
static enum status open_postgres(struct session *session, const char *address, const char *program,
                                 struct error *err)
{
    enum status status = libpq_open(&session->libpq, address, NULL, err);

    if (status != STATUS_OK && libpq_needs_password(&session->libpq) && isatty(STDIN_FILENO))
        status = ask_password(session, address, err);
    TRY(status);
    session->libpq.interrupts = &interrupts;
    session->libpq.notice = put_server_notice;
    session->libpq.notice_self = session;
    libpq_host_init(&session->postgres, &session->libpq, program);
    session->host = &session->postgres.host;
    catch_signals(NULL);
    return STATUS_OK;
}

enum status session_open(struct session *session, const char *name, const struct options *options,
                         struct error *err)
{
    char program[PATH_MAX];

    *session = (struct session){.colour = options->colour};
    formatter_init(&session->formatter, options->format, stdout);
    session->formatter.rows_max = SESSION_ROWS_SHOWN;
    session->formatter.columns_max = FORMAT_OF_TERMINAL;
    progress_init(&session->progress, options->progress);
    TRY(find_program(program, err));
    if (!libpq_is_address(name))
        return open_sqlite(session, name, program, err);
    TRY(open_postgres(session, name, program, err));
    cluster_jobs_init(session, &options->cluster);
    return STATUS_OK;
}

void session_close(struct session *session)
{
    interrupted_db = NULL;
    formatter_deinit(&session->formatter);
    sqlite3_close(session->db);
    libpq_close(&session->libpq);
}

static enum status put_columns(void *self, const struct slice *names, size_t count,
                               struct error *err)
{
    struct session *session = self;

    progress_erase(&session->progress);
    return formatter_columns(&session->formatter, names, count, err);
}

static enum status put_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    return formatter_row(&((struct session *)self)->formatter, cells, count, err);
}

static void put_notice(void *self, const char *line)
{
    progress_notice(&((struct session *)self)->progress, line);
}

static void put_progress(void *self, const struct job_event *event)
{
    progress_event(&((struct session *)self)->progress, event);
}

static enum status run_piece(struct session *session, struct slice text, const struct piece *piece,
                             struct error *err)
{
    struct sink sink = {.self = session,
                        .columns = put_columns,
                        .row = put_row,
                        .notice = put_notice,
                        .progress = put_progress};
    struct slice sql = {text.data + piece->span.start,
                        (size_t)(piece->span.end - piece->span.start)};

    error_clear(err);
    session->formatter.is_ours = piece->kind == PIECE_OURS;
    if (piece->kind == PIECE_OURS) {
        TRY(engine_run(session->host, text, piece, &sink, err));
    } else if (session->host->rows->query(session->host->self, sql, &sink, err) != STATUS_OK) {
        if (err->status == STATUS_SYNTAX && !err->hint[0])
            (void)refused_hint(sql, err->position, err);
        (void)refused_missing_hint(sql, err);
        if (err->position >= 0)
            err->position += piece->span.start;
        return err->status;
    }
    return formatter_end(&session->formatter, err);
}

enum status session_run(struct session *session, struct slice text, const struct piece *piece,
                        struct error *err)
{
    enum status status = run_piece(session, text, piece, err);

    progress_erase(&session->progress);
    if (status == STATUS_OK)
        next_step_print(session, text, piece);
    return status;
}
