#include "extension/postgres/libpq/libpq_host.h"

#include <string.h>

#include "extension/engine/host/stored_model.h"
#include "extension/engine/jobs/unpublished.h"
#include "extension/postgres/libpq/database_libpq.h"
#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/libpq/libpq_scan.h"
#include "extension/postgres/sql/fill_rows.h"
#include "extension/postgres/sql/postgres_host.h"
#include "extension/postgres/sql/query.h"
#include "extension/postgres/sql/row_guess.h"
#include "extension/postgres/sql/sql.h"
#include "extension/postgres/sql/tables.h"
#include "extension/sql/models.h"
#include "extension/sql/publish.h"
#include "extension/sql/sql.h"
#include "extension/sql/tables.h"

/* 'value', with what must be escaped in a conninfo string. */
static void append_word(struct text *address, const char *keyword, struct slice value)
{
    text_printf(address, "%s%s='", address->size > 0 ? " " : "", keyword);
    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] == '\'' || value.data[i] == '\\')
            text_append_char(address, '\\');
        text_append_char(address, value.data[i]);
    }
    text_append_char(address, '\'');
}

/* -csearch_path="schema": the server splits at blanks and reads backslashes, too. */
static void append_setting(struct text *options, const char *name, struct slice value)
{
    text_printf(options, "%s-c%s=", options->size > 0 ? " " : "", name);
    for (size_t i = 0; i < value.size; i++) {
        if (memchr(" \\\t\n\v\f\r", value.data[i], 7))
            text_append_char(options, '\\');
        text_append_char(options, value.data[i]);
    }
}

static void append_options(struct text *address, struct slice schema, struct slice role)
{
    struct text path, options;

    text_init(&path, TEXT_MAXIMUM);
    text_init(&options, TEXT_MAXIMUM);
    text_append_identifier(&path, schema);
    append_setting(&options, "search_path", text_slice(&path));
    if (role.size > 0)
        append_setting(&options, "role", role);
    append_word(address, "options", text_slice(&options));
    address->failed = address->failed || path.failed || options.failed;
    text_deinit(&path);
    text_deinit(&options);
}

enum status libpq_address(const struct libpq *libpq, struct slice schema, struct slice role,
                          struct text *address, struct error *err)
{
    PQconninfoOption *options = PQconninfo(libpq->connection);

    if (!options)
        return fail_no_memory(err);
    for (PQconninfoOption *option = options; option->keyword; option++) {
        bool is_secret = option->dispchar[0] == '*';
        bool is_ours = strcmp(option->keyword, "options") == 0 ||
                       strcmp(option->keyword, "client_encoding") == 0 ||
                       strcmp(option->keyword, "fallback_application_name") == 0;
        if (!is_secret && !is_ours && option->val && option->val[0])
            append_word(address, option->keyword, slice_of(option->val));
    }
    PQconninfoFree(options);
    append_options(address, schema, role);
    return address->failed ? fail_no_memory(err) : STATUS_OK;
}

/* ----- the host ----- */

/* The role that the session has taken with SET ROLE; empty: that of its user. */
static enum status taken_role(struct sql_host *host, struct arena *arena, struct slice *role,
                              struct error *err)
{
    struct cell cells[2] = {{.type = CELL_NULL}, {.type = CELL_NULL}};
    bool found;

    TRY(sql_first(host, "SELECT current_user, current_user" NE "session_user", NULL, 0, arena,
                  cells, 2, &found, err));
    if (cells[0].type == CELL_TEXT && cell_is_true(&cells[1]))
        *role = cells[0].text;
    return STATUS_OK;
}

static enum status write_address(struct sql_host *host, struct slice schema, struct text *address,
                                 struct error *err)
{
    struct slice role = {NULL, 0};
    struct arena arena;
    char buffer[SQL_NAME_BYTES];
    enum status status;

    TRY(postgres_target_schema(host, &schema, buffer, err));
    arena_init(&arena, 1 << 20);
    status = taken_role(host, &arena, &role, err);
    if (status == STATUS_OK)
        status = libpq_address(host->database->self, schema, role, address, err);
    arena_deinit(&arena);
    return status;
}

/* A temporary table is gone when its session is. */
static struct slice find_address(void *self, struct slice schema)
{
    struct sql_host *host = self;
    struct libpq *libpq = host->database->self;
    struct error ignored;

    text_clear(&libpq->delivery);
    if (slice_is(schema, "pg_temp") ||
        write_address(host, schema, &libpq->delivery, &ignored) != STATUS_OK)
        return SLICE("");
    return text_slice(&libpq->delivery);
}

/* For totrain publish: the address leads to the schema, too. */
static enum status find_place(void *self, struct slice schema, struct unpublished *unpublished,
                              struct error *err)
{
    struct text address;
    enum status status;

    if (slice_is(schema, "pg_temp"))
        return STATUS_OK;
    text_init(&address, sizeof unpublished->database);
    status = write_address(self, schema, &address, err);
    if (status == STATUS_OK)
        slice_copy(text_slice(&address), unpublished->database, sizeof unpublished->database);
    text_deinit(&address);
    return status;
}

/* ----- a connection that is lost while a model is trained ----- */

/* The model's destination is noted while the session still knows it. Inside the user's transaction
 * there is no other destination: what is lost with the session was not committed. */
static enum status check_target(void *self, const struct table_target *target, struct error *err)
{
    struct sql_host *host = self;
    const struct libpq *libpq = host->database->self;

    TRY(postgres_check_target(self, target, err));
    if (PQtransactionStatus(libpq->connection) == PQTRANS_IDLE)
        find_address(self, target->schema);
    return STATUS_OK;
}

static enum status publish_again(struct sql_host *lost, struct slice name,
                                 struct publication *publication, struct error *err)
{
    struct libpq *libpq = lost->database->self, again;
    struct sql_host host;
    enum status status =
        libpq_open(&again, text_string(&libpq->delivery), PQpass(libpq->connection), err);

    if (status == STATUS_OK) {
        postgres_host_init(&host, &again.database, "", NULL);
        memcpy(host.publisher, lost->publisher, sizeof host.publisher);
        status = sql_publish(&host, SLICE(""), name, publication, err);
    }
    libpq_close(&again);
    if (status == STATUS_OK && libpq->notice)
        libpq->notice(libpq->notice_self, "WARNING",
                      "the connection was lost; the model was written over another one");
    return status;
}

/* A transaction that is open has more to write, which is lost with the session. */
static bool is_in_transaction(const struct libpq *libpq)
{
    const PGTransactionStatusType status = PQtransactionStatus(libpq->connection);

    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

/* Hours after the last statement a firewall, a timeout or a restart may have ended the
 * session. */
static enum status publish(void *self, struct slice schema, struct slice name,
                           struct publication *publication, struct error *err)
{
    struct sql_host *host = self;
    struct libpq *libpq = host->database->self;
    const bool has_more = is_in_transaction(libpq);
    enum status status;

    host->publisher[0] = '\0';
    status = sql_publish(self, schema, name, publication, err);
    if (status != STATUS_CONNECTION || libpq->delivery.size == 0 || has_more)
        return status;
    return publish_again(host, name, publication, err);
}

static const struct host_rows rows = {
    .query = postgres_query,
    .scan = libpq_scan,
    .guess = postgres_guess_rows,
    .check_functions = postgres_check_functions,
};

static const struct host_models models = {
    .publish = publish,
    .find_place = find_place,
    .load = sql_load_model,
    .each_row = sql_each_model_row,
    .load_meta = sql_load_meta,
    .is_callers = sql_is_callers_model,
    .list = sql_list_models,
    .list_versions = sql_list_versions,
    .list_metrics = sql_list_metrics,
    .restore = sql_restore,
};

static const struct host_tables tables = {
    .check_target = check_target,
    .fill = sql_fill_tables,
    .fill_rows = postgres_fill_rows,
    .write_rows = sql_write_rows,
};

static void name_database(void *self, struct text *name)
{
    const struct sql_host *host = self;
    const struct libpq *libpq = host->database->self;

    text_printf(name, "postgres %s %s %s", PQhost(libpq->connection), PQport(libpq->connection),
                PQdb(libpq->connection));
}

void libpq_host_init(struct sql_host *host, struct libpq *libpq, const char *program)
{
    postgres_host_init(host, &libpq->database, program, NULL);
    host->host.catalog.find_file = find_address;
    host->host.session.database = name_database;
    host->host.rows = &rows;
    host->host.models = &models;
    host->host.tables = &tables;
    stored_model_limit_of_environment(&host->host);
}
