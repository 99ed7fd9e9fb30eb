#include "runtime/data/pgstore/journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/log.h"
#include "runtime/data/pgstore/copy.h"
#include "runtime/data/pgstore/pgstore_parts.h"

#define PAGE_ENTRIES     64
#define PAGE_PIECES      8
#define UNIQUE_VIOLATION "23505"
#define SOFT_CONNECT_MS  1000
#define SOFT_PAUSE_MS    5000

/* Longer ones come as NULL, and are refused without being fetched. */
#define READ_ENTRIES                                                                               \
    "SELECT number, master, kind, CASE WHEN pg_catalog.octet_length(body) <= %zu THEN body END, "  \
    "CASE WHEN pg_catalog.octet_length(data) <= %zu THEN data END, data IS NULL FROM @ "           \
    "WHERE number > $1::bigint%s ORDER BY number LIMIT %d"

/* The rows of a server have its index in one more column. */
#define KEY_BYTES 48

static const char *key_of(const struct pgstore *store, char key[KEY_BYTES])
{
    key[0] = '\0';
    if (store->is_of_server)
        snprintf(key, KEY_BYTES, " AND server = %" PRIu32 "::bigint", store->server);
    return key;
}

/* The column's name behind others, and its value behind theirs. */
static const char *key_column(const struct pgstore *store)
{
    return store->is_of_server ? ", server" : "";
}

static void begin_row(const struct pgstore *store, struct text *out, int columns)
{
    copy_row(out, columns + store->is_of_server);
}

static void end_row(const struct pgstore *store, struct text *out)
{
    if (store->is_of_server)
        copy_integer(out, store->server);
}

/* ----- reading ----- */

static enum status read_row(const PGresult *page, int row, struct journal_entry *entry,
                            struct error *err)
{
    const struct slice is_null = result_bytes(page, row, 5);

    *entry = (struct journal_entry){.body = result_bytes(page, row, 3),
                                    .data = result_bytes(page, row, 4),
                                    .has_data = is_null.size == 1 && is_null.data[0] == 0};
    TRY(result_integer(page, row, 0, &entry->number, err));
    TRY(result_integer(page, row, 1, &entry->master, err));
    TRY(journal_kind_of(result_bytes(page, row, 2), &entry->kind, err));
    if (PQgetisnull(page, row, 3) || (entry->has_data && PQgetisnull(page, row, 4)))
        return fail(err, STATUS_CORRUPT, "entry %" PRId64 " of the job's journal is too large",
                    entry->number);
    return STATUS_OK;
}

static enum status read_page(struct pgstore *store, int64_t after, int count, PGresult **page,
                             struct error *err)
{
    char sql[sizeof READ_ENTRIES + TABLE_NAME_MAX + 128], format[sizeof READ_ENTRIES + 128];
    char number[32], key[KEY_BYTES];
    const char *parameters[] = {number};
    const struct pg_call call = {sql, parameters, 1, true};

    snprintf(format, sizeof format, READ_ENTRIES, JOURNAL_BODY_BYTES_MAX, JOURNAL_DATA_BYTES_MAX,
             key_of(store, key), count);
    snprintf(number, sizeof number, "%" PRId64, after);
    pgstore_sql(sql, sizeof sql, format, store->result);
    return pg_connection_call_again(&store->connection, &call,
                                    pg_connection_now() + store->patience_ms, page, err);
}

static enum status each_of_page(const PGresult *page, journal_reader *each, void *context,
                                int64_t *last, struct error *err)
{
    for (int row = 0; row < PQntuples(page); row++) {
        struct journal_entry entry;

        TRY(read_row(page, row, &entry, err));
        TRY(each(context, &entry, err));
        *last = entry.number;
    }
    return STATUS_OK;
}

enum status pgstore_read_first(struct pgstore *store, int count, journal_reader *each,
                               void *context, struct error *err)
{
    enum status status;
    PGresult *page;
    int64_t last;

    TRY(read_page(store, 0, count, &page, err));
    status = each_of_page(page, each, context, &last, err);
    PQclear(page);
    return status;
}

static enum status read_entries(void *self, int64_t after, journal_reader *each, void *context,
                                struct error *err)
{
    struct pgstore *store = self;
    int rows = PAGE_ENTRIES;

    store->last = after;
    while (rows == PAGE_ENTRIES) {
        enum status status;
        PGresult *page;

        TRY(read_page(store, store->last, PAGE_ENTRIES, &page, err));
        rows = PQntuples(page);
        status = each_of_page(page, each, context, &store->last, err);
        PQclear(page);
        TRY(status);
    }
    return STATUS_OK;
}

/* ----- appending ----- */

static void put_entry(const struct pgstore *store, struct text *out,
                      const struct journal_entry *entry)
{
    const struct slice kind = slice_of(journal_kind_name(entry->kind));

    begin_row(store, out, 5);
    copy_integer(out, entry->number);
    copy_integer(out, entry->master);
    copy_bytes(out, &kind);
    copy_bytes(out, &entry->body);
    copy_bytes(out, entry->has_data ? &entry->data : NULL);
    end_row(store, out);
}

static enum status fill_pending(struct pgstore *store, const struct journal_entry *entries,
                                size_t count, struct error *err)
{
    copy_begin(&store->pending);
    for (size_t i = 0; i < count; i++) {
        struct journal_entry entry = entries[i];

        entry.number = store->last + 1 + (int64_t)i;
        put_entry(store, &store->pending, &entry);
        if (i == 0)
            store->pending_first = store->pending.size - COPY_HEADER_BYTES;
    }
    copy_end(&store->pending);
    if (store->pending.failed)
        return fail(err, STATUS_LIMIT, "a transaction of the job is too large");
    store->pending_count = count;
    store->is_in_doubt = false;
    return STATUS_OK;
}

static void forget_pending(struct pgstore *store)
{
    store->pending_count = 0;
    store->is_in_doubt = false;
    text_clear(&store->pending);
}

static bool is_pending(const struct pgstore *store, const struct journal_entry *entry)
{
    struct text row;
    bool is_same;

    text_init(&row, TEXT_MAXIMUM);
    put_entry(store, &row, entry);
    is_same = !row.failed && row.size == store->pending_first &&
              memcmp(row.data, store->pending.data + COPY_HEADER_BYTES, row.size) == 0;
    text_deinit(&row);
    return is_same;
}

static enum status refuse_stale(const struct pgstore *store, struct error *err)
{
    return store->is_of_server
               ? fail(err, STATUS_STALE, "another process is server %" PRIu32 " now", store->server)
               : fail(err, STATUS_STALE, "another master leads the job now");
}

/* Finds out what became of the pending entries. OK: they are there; STALE: others are; NOT_FOUND:
 * none is. */
static enum status look(struct pgstore *store, struct error *err)
{
    struct journal_entry entry;
    enum status status;
    PGresult *page;

    TRY(read_page(store, store->last, 1, &page, err));
    if (PQntuples(page) == 0)
        status = STATUS_NOT_FOUND;
    else
        status = read_row(page, 0, &entry, err);
    if (status == STATUS_OK && !is_pending(store, &entry))
        status = store->is_of_server ? refuse_stale(store, err)
                                     : fail(err, STATUS_STALE,
                                            "master %" PRId64 " leads the job now", entry.master);
    PQclear(page);
    return status;
}

static enum status send_pending(struct pgstore *store, struct error *err)
{
    char sql[TABLE_NAME_MAX + 100], format[100], state[6];
    enum status status;

    snprintf(format, sizeof format,
             "COPY @ (number, master, kind, body, data%s) FROM STDIN (FORMAT binary)",
             key_column(store));
    pgstore_sql(sql, sizeof sql, format, store->result);
    store->is_in_doubt = true;
    status = pg_connection_copy(&store->connection, sql, text_slice(&store->pending), state, err);
    if (strcmp(state, UNIQUE_VIOLATION) == 0)
        return STATUS_CONNECTION; /* ours, from before a cut, or another's: to be looked at */
    if (status != STATUS_CONNECTION)
        store->is_in_doubt = false;
    return status;
}

/* Until it is there, or cannot be. CONNECTION: it may be. */
static enum status settle(struct pgstore *store, int64_t deadline, struct error *err)
{
    enum status status;

    for (;;) {
        TRY(pg_connection_ensure(&store->connection, deadline, err));
        status = store->is_in_doubt ? look(store, err) : STATUS_NOT_FOUND;
        if (status == STATUS_NOT_FOUND)
            status = send_pending(store, err);
        if (status == STATUS_OK)
            store->last += (int64_t)store->pending_count;
        if (status != STATUS_CONNECTION)
            forget_pending(store);
        if (status != STATUS_CONNECTION || pg_connection_now() >= deadline)
            return status;
    }
}

/* Rows that are sent again anyway do not wait for a lost connection. */
static bool may_try(struct pgstore *store)
{
    const int64_t now = pg_connection_now();

    if (store->connection.connection)
        return true;
    if (now < store->retry_at)
        return false;
    store->retry_at = now + SOFT_PAUSE_MS;
    return true;
}

static enum status append(void *self, const struct journal_entry *entries, size_t count,
                          bool is_urgent, struct error *err)
{
    struct pgstore *store = self;
    const int64_t deadline =
        pg_connection_now() + (is_urgent ? store->patience_ms : SOFT_CONNECT_MS);
    enum status status;

    if (!is_urgent && !may_try(store))
        return fail(err, STATUS_CONNECTION, "the job's database is not connected");
    if (store->pending_count > 0)
        TRY(settle(store, deadline, err));
    TRY(fill_pending(store, entries, count, err));
    status = settle(store, deadline, err);
    if (status != STATUS_CONNECTION)
        return status;
    if (store->is_in_doubt && !is_urgent)
        return STATUS_OK; /* it is settled before the next is sent */
    forget_pending(store);
    return status;
}

static enum status check(void *self, struct error *err)
{
    struct pgstore *store = self;
    struct error ignored;
    char sql[TABLE_NAME_MAX + 100], format[100], number[32], key[KEY_BYTES];
    const char *parameters[] = {number};
    const struct pg_call call = {sql, parameters, 1, true};
    PGresult *result;
    bool is_stale;

    if (!store->connection.connection || store->pending_count > 0)
        return STATUS_OK;
    snprintf(number, sizeof number, "%" PRId64, store->last);
    snprintf(format, sizeof format, "SELECT 1 FROM @ WHERE number > $1::bigint%s LIMIT 1",
             key_of(store, key));
    pgstore_sql(sql, sizeof sql, format, store->result);
    if (pg_connection_call(&store->connection, &call, &result, NULL, &ignored) != STATUS_OK)
        return STATUS_OK;
    is_stale = PQntuples(result) > 0;
    PQclear(result);
    return is_stale ? refuse_stale(store, err) : STATUS_OK;
}

/* ----- pieces ----- */

#define READ_PIECES                                                                                \
    "SELECT piece, CASE WHEN pg_catalog.octet_length(bytes) <= %zu THEN bytes END FROM @ "         \
    "WHERE checkpoint = $1::bigint AND piece >= $2::bigint%s ORDER BY piece LIMIT %d"

static enum status read_pieces(struct pgstore *store, uint64_t checkpoint, uint64_t from, int count,
                               PGresult **page, struct error *err)
{
    char sql[sizeof READ_PIECES + TABLE_NAME_MAX + 128], format[sizeof READ_PIECES + 128];
    char id[32], first[32], key[KEY_BYTES];
    const char *parameters[] = {id, first};
    const struct pg_call call = {sql, parameters, 2, true};

    snprintf(format, sizeof format, READ_PIECES, (size_t)CHECKPOINT_PIECE_BYTES_MAX,
             key_of(store, key), count);
    snprintf(id, sizeof id, "%" PRId64, (int64_t)checkpoint);
    snprintf(first, sizeof first, "%" PRId64, (int64_t)from);
    pgstore_sql(sql, sizeof sql, format, store->checkpoint);
    return pg_connection_call_again(&store->connection, &call,
                                    pg_connection_now() + store->patience_ms, page, err);
}

static enum status read_piece(const PGresult *page, int row, uint64_t expected, struct slice *bytes,
                              struct error *err)
{
    int64_t position;

    TRY(result_integer(page, row, 0, &position, err));
    *bytes = result_bytes(page, row, 1);
    if (position != (int64_t)expected || PQgetisnull(page, row, 1))
        return fail(err, STATUS_CORRUPT,
                    "piece %" PRIu64 " of the checkpoint is missing or too large", expected);
    return STATUS_OK;
}

/* A piece of this number is there: the same one, of before a cut? */
static enum status compare_piece(struct pgstore *store, uint64_t checkpoint, uint64_t position,
                                 struct slice bytes, struct error *err)
{
    struct slice found = {NULL, 0};
    enum status status;
    PGresult *page;

    TRY(read_pieces(store, checkpoint, position, 1, &page, err));
    status = PQntuples(page) == 1 ? read_piece(page, 0, position, &found, err) : STATUS_CONNECTION;
    if (status == STATUS_OK && !slice_equal(found, bytes))
        status = fail(err, STATUS_CORRUPT, "another process has written piece %" PRIu64, position);
    PQclear(page);
    return status;
}

static enum status send_piece(struct pgstore *store, uint64_t checkpoint, uint64_t position,
                              struct slice bytes, const struct text *rows, struct error *err)
{
    const int64_t deadline = pg_connection_now() + store->patience_ms;
    char sql[TABLE_NAME_MAX + 100], format[100], state[6];
    enum status status;

    snprintf(format, sizeof format,
             "COPY @ (checkpoint, piece, bytes%s) FROM STDIN (FORMAT binary)", key_column(store));
    pgstore_sql(sql, sizeof sql, format, store->checkpoint);
    do {
        TRY(pg_connection_ensure(&store->connection, deadline, err));
        status = pg_connection_copy(&store->connection, sql, text_slice(rows), state, err);
        if (strcmp(state, UNIQUE_VIOLATION) == 0)
            status = compare_piece(store, checkpoint, position, bytes, err);
    } while (status == STATUS_CONNECTION && pg_connection_now() < deadline);
    return status;
}

static enum status put_piece(void *self, uint64_t checkpoint, uint64_t position, struct slice bytes,
                             struct error *err)
{
    const struct pgstore *store = self;
    struct text rows;
    enum status status;

    text_init(&rows, TEXT_MAXIMUM);
    copy_begin(&rows);
    begin_row(store, &rows, 3);
    copy_integer(&rows, (int64_t)checkpoint);
    copy_integer(&rows, (int64_t)position);
    copy_bytes(&rows, &bytes);
    end_row(store, &rows);
    copy_end(&rows);
    status = rows.failed ? fail_no_memory(err)
                         : send_piece(self, checkpoint, position, bytes, &rows, err);
    text_deinit(&rows);
    return status;
}

static enum status each_piece(void *self, uint64_t checkpoint, piece_reader *each, void *context,
                              struct error *err)
{
    uint64_t position = 0;
    int rows = PAGE_PIECES;

    while (rows == PAGE_PIECES) {
        enum status status = STATUS_OK;
        PGresult *page;

        TRY(read_pieces(self, checkpoint, position, PAGE_PIECES, &page, err));
        rows = PQntuples(page);
        for (int row = 0; row < rows && status == STATUS_OK; row++, position++) {
            struct slice bytes;

            status = read_piece(page, row, position, &bytes, err);
            if (status == STATUS_OK)
                status = each(context, position, bytes, err);
        }
        PQclear(page);
        TRY(status);
    }
    return STATUS_OK;
}

/* Another snapshot tries it again. A process that was frozen meanwhile removes nothing of its
 * successor's, whose numbers are greater. */
static void forget_pieces(void *self, uint64_t first, uint64_t end)
{
    struct pgstore *store = self;
    char sql[TABLE_NAME_MAX + 128], format[128], from[32], below[32], key[KEY_BYTES];
    const char *parameters[] = {from, below};
    const struct pg_call call = {sql, parameters, 2, true};
    PGresult *result;
    struct error why;

    if (!store->is_of_server || !store->connection.connection)
        return; /* a master may delete nothing */
    error_clear(&why);
    snprintf(from, sizeof from, "%" PRId64, (int64_t)first);
    snprintf(below, sizeof below, "%" PRId64, (int64_t)end);
    snprintf(format, sizeof format,
             "DELETE FROM @ WHERE checkpoint >= $1::bigint AND checkpoint < $2::bigint%s",
             key_of(store, key));
    pgstore_sql(sql, sizeof sql, format, store->checkpoint);
    if (pg_connection_call(&store->connection, &call, &result, NULL, &why) == STATUS_OK)
        PQclear(result);
    else
        log_warning("older snapshots stay: %s", why.message);
}

void pgstore_journal_init(struct pgstore *store, uint64_t job)
{
    store->journal = (struct journal){.self = store,
                                      .job = (int64_t)job,
                                      .read = read_entries,
                                      .append = append,
                                      .check = check,
                                      .put_piece = put_piece,
                                      .each_piece = each_piece,
                                      .forget_pieces = forget_pieces};
}
