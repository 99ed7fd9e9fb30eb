#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "runtime/data/dataset/model_file.h"
#include "runtime/data/pgstore/journal.h"
#include "runtime/data/pgstore/pgstore_parts.h"
#include "runtime/data/store/journal_sum.h"

bool pgstore_sql(char *sql, size_t capacity, const char *format, const char *table)
{
    size_t size = 0;

    for (; *format && size + 1 < capacity; format++) {
        if (*format != '@') {
            sql[size++] = *format;
            continue;
        }
        if (size + strlen(table) >= capacity)
            return false;
        memcpy(sql + size, table, strlen(table));
        size += strlen(table);
    }
    sql[size] = '\0';
    return *format == '\0';
}

static enum status name_table(char name[TABLE_NAME_MAX], const char *schema, const char *table,
                              uint64_t job, struct error *err)
{
    struct text quoted;
    bool fits;

    text_init(&quoted, TABLE_NAME_MAX - 1);
    text_append_identifier(&quoted, slice_of(schema));
    text_printf(&quoted, ".\"%s_%" PRIu64 "\"", table, job);
    fits = !quoted.failed;
    snprintf(name, TABLE_NAME_MAX, "%s", text_string(&quoted));
    text_deinit(&quoted);
    return fits ? STATUS_OK : fail(err, STATUS_LIMIT, "the name of the schema is too long");
}

static enum status name_tables(struct pgstore *store, const char *schema, uint64_t job,
                               struct error *err)
{
    TRY(name_table(store->input, schema, "input", job, err));
    TRY(name_table(store->checkpoint, schema, "checkpoint", job, err));
    TRY(name_table(store->rows, schema, "rows", job, err));
    return name_table(store->result, schema, "result", job, err);
}

/* ----- what the submitter wrote ----- */

/* train.spool, train.1.spool, ... and the same of other rows: no paths. */
static bool is_spool_name(struct slice name)
{
    static const char *const stems[] = {"train", "validation", "rows"};

    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        const size_t stem = strlen(stems[i]);
        int64_t number;
        struct slice rest;

        if (name.size < stem + 6 || memcmp(name.data, stems[i], stem) != 0 ||
            memcmp(name.data + name.size - 6, ".spool", 6) != 0)
            continue;
        rest = (struct slice){name.data + stem, name.size - stem - 6};
        if (rest.size == 0)
            return true;
        if (rest.data[0] == '.' && rest.size < 8 &&
            slice_to_integer((struct slice){rest.data + 1, rest.size - 1}, &number) && number > 0)
            return true;
    }
    return false;
}

/* Has the name only characters of our own names? In an array of SQL none of them means anything. */
static bool is_plain_name(struct slice name)
{
    for (size_t i = 0; i < name.size; i++)
        if (!isalnum((unsigned char)name.data[i]) && name.data[i] != '.')
            return false;
    return name.size > 0;
}

static enum status read_file_entry(const cJSON *item, struct sparse_file *file, struct error *err)
{
    struct slice name;
    int64_t bytes;

    TRY(json_get_string(item, "name", &name, err));
    TRY(json_get_integer(item, "bytes", 1, INT64_MAX / 2, &bytes, err));
    if (name.size >= sizeof file->name ||
        !(is_spool_name(name) || slice_is(name, PGSTORE_ORDER) || slice_is(name, MODEL_FILE)))
        return fail(err, STATUS_CORRUPT, "the job's rows lie in no file \"%.60s\"", name.data);
    memcpy(file->name, name.data, name.size);
    memcpy(file->stored, name.data, name.size);
    file->bytes = (uint64_t)bytes;
    if (!json_has(item, "stored"))
        return STATUS_OK;
    TRY(json_get_string(item, "stored", &name, err));
    if (name.size >= sizeof file->stored || !is_plain_name(name))
        return fail(err, STATUS_CORRUPT, "the job's rows lie in no file \"%.60s\"", name.data);
    slice_copy(name, file->stored, sizeof file->stored);
    return STATUS_OK;
}

enum status pgstore_read_files(struct pgstore *store, const cJSON *body, struct error *err)
{
    const cJSON *array, *item;

    TRY(json_get_array(body, "files", PGSTORE_FILES_MAX, &array, err));
    store->files = calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *store->files);
    if (!store->files)
        return fail_no_memory(err);
    cJSON_ArrayForEach(item, array)
        TRY(read_file_entry(item, &store->files[store->file_count++], err));
    return store->file_count > 0 ? STATUS_OK : fail(err, STATUS_CORRUPT, "the job has no rows");
}

struct submission {
    struct pgstore *store;
    struct text *json;
    uint64_t *lot;
};

#define SUBMISSION_ENTRIES 2 /* later ones are a master's */

static enum status read_submission(void *context, const struct journal_entry *entry,
                                   struct error *err)
{
    const struct submission *submission = context;
    enum status status;
    cJSON *body;

    if (entry->number > SUBMISSION_ENTRIES)
        return STATUS_OK;
    if (entry->master != 0 || entry->kind != (entry->number == 1 ? JOURNAL_SPEC : JOURNAL_INPUT))
        return fail(err, STATUS_CORRUPT, "the job's journal does not begin with its spec");
    if (entry->kind == JOURNAL_SPEC) {
        if (entry->data.size != sizeof *submission->lot)
            return fail(err, STATUS_CORRUPT, "the job's spec has no lot");
        memcpy(submission->lot, entry->data.data, sizeof *submission->lot);
        text_append(submission->json, entry->body);
        return submission->json->failed ? fail(err, STATUS_LIMIT, "the job's spec is too large")
                                        : STATUS_OK;
    }
    TRY(journal_sum_check(entry, err));
    TRY(json_parse(entry->body, JOURNAL_ROW_BYTES_MAX, &body, err));
    status = pgstore_read_files(submission->store, body, err);
    cJSON_Delete(body);
    return status;
}

enum status pgstore_spec(struct pgstore *store, struct text *json, uint64_t *lot, struct error *err)
{
    struct submission submission = {store, json, lot};

    store->file_count = 0;
    free(store->files);
    store->files = NULL;
    TRY(pgstore_read_first(store, SUBMISSION_ENTRIES, read_submission, &submission, err));
    if (store->file_count == 0)
        return fail(err, STATUS_NOT_FOUND, "the job's tables are empty");
    return STATUS_OK;
}

const struct journal *pgstore_journal(const struct pgstore *store)
{
    return &store->journal;
}

static enum status look_for_end(struct pg_connection *connection, const char *sql, int64_t deadline,
                                bool *is_over, struct error *err)
{
    const struct pg_call call = {sql, NULL, 0, true};
    PGresult *result;
    enum status status = pg_connection_ensure(connection, deadline, err);

    if (status == STATUS_OK)
        status = pg_connection_call(connection, &call, &result, NULL, err);
    if (status == STATUS_NOT_FOUND) {
        *is_over = true;
        return STATUS_OK;
    }
    TRY(status);
    *is_over = PQntuples(result) > 0;
    PQclear(result);
    return STATUS_OK;
}

enum status pgstore_look_for_end(const struct pgstore *store, int64_t within_ms, bool *is_over,
                                 struct error *err)
{
    char sql[TABLE_NAME_MAX + 100];
    struct pg_connection connection;
    enum status status;

    *is_over = false;
    pgstore_sql(sql, sizeof sql, "SELECT 1 FROM @ WHERE file = '" PGSTORE_OVER "'", store->input);
    TRY(pg_connection_init_again(&connection, &store->connection, err));
    connection.answer_ms = within_ms / 2;
    status = look_for_end(&connection, sql, pg_connection_now() + within_ms / 2, is_over, err);
    pg_connection_deinit(&connection);
    return status;
}

/* ----- life ----- */

static enum status be_of_server(struct pgstore *store, const char *schema, uint64_t job,
                                uint32_t server, struct error *err)
{
    store->is_of_server = true;
    store->server = server;
    store->journal.before = SUBMISSION_ENTRIES;
    TRY(name_table(store->checkpoint, schema, "snapshot", job, err));
    return name_table(store->result, schema, "server", job, err);
}

static enum status open_store(const char *file, const char *schema, uint64_t job,
                              const uint32_t *server, struct pgstore **store, struct error *err)
{
    struct pgstore *made = calloc(1, sizeof *made);
    enum status status;

    *store = NULL;
    if (!made)
        return fail_no_memory(err);
    text_init(&made->pending, TEXT_MAXIMUM);
    pgstore_journal_init(made, job);
    made->source = made->input;
    made->piece_bytes = PGSTORE_PIECE_BYTES;
    made->patience_ms = PGSTORE_PATIENCE_MS;
    TRY_OR(done, status, name_tables(made, schema, job, err));
    if (server)
        TRY_OR(done, status, be_of_server(made, schema, job, *server, err));
    TRY_OR(done, status, pg_connection_init(&made->connection, file, err));
    status =
        pg_connection_ensure(&made->connection, pg_connection_now() + PGSTORE_PATIENCE_MS, err);
done:
    if (status == STATUS_OK)
        *store = made;
    else
        pgstore_close(made);
    return status;
}

enum status pgstore_open(const char *file, const char *schema, uint64_t job, struct pgstore **store,
                         struct error *err)
{
    return open_store(file, schema, job, NULL, store, err);
}

enum status pgstore_open_server(const char *file, const char *schema, uint64_t job, uint32_t server,
                                struct pgstore **store, struct error *err)
{
    return open_store(file, schema, job, &server, store, err);
}

void pgstore_hurry(struct pgstore *store, int64_t patience_ms)
{
    store->patience_ms = store->connection.answer_ms = patience_ms;
}

void pgstore_close(struct pgstore *store)
{
    if (!store)
        return;
    pg_connection_deinit(&store->connection);
    text_deinit(&store->pending);
    free(store->files);
    free(store);
}
