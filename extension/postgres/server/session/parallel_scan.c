/*
 * A whole table read by the backend and its parallel workers.
 *
 *     backend    pieces of the table -->|  one counter, in shared memory: each reader
 *     workers    pieces of the table -->|  takes the next piece until none is left
 *
 * These are PostgreSQL's own parallel workers (access/parallel.h): they have the caller's
 * role, settings, snapshot and uncommitted rows, and what one throws arrives in the
 * backend. Each reads its pieces (Tid Range Scans) into a part of the spool, and leaves
 * the part's index in a file beside it, which the backend joins.
 */
#include "extension/postgres/server/session/session.h"

#include <unistd.h>

#include <access/parallel.h>
#include <access/xact.h>
#include <optimizer/cost.h>
#include <port/atomics.h>
#include <utils/memutils.h>
#include <utils/snapmgr.h>

#include "base/bytes.h"
#include "base/json.h"
#include "extension/postgres/server/session/parallel_scan.h"
#include "extension/postgres/sql/table_scan.h"
#include "inputs/cell_list_json.h"
#include "jobspec/jobspec_read.h"
#include "jobspec/jobspec_write.h"
#include "runtime/data/spool/spool_files.h"
#include "runtime/data/spool/spool_writer.h"

#define KEY_PIECES     1
#define KEY_ORDER      2
#define NAME_MAX_BYTES ((size_t)1 << 20)

PGDLLEXPORT void totrain_scan_main(dsm_segment *segment, shm_toc *toc);

/* The pieces that readers take, one after another. */
struct pieces {
    pg_atomic_uint64 next;
};

/* The order to the readers: made by the backend, sent to its workers as bytes. */
struct order {
    struct table_scan tables;
    struct scan scan;
};

/* ----- the order as bytes ----- */

/* Puts the spec as JSON; an empty text: there is none. */
static void put_spec(const struct jobspec *spec, struct text *bytes)
{
    struct text json;
    struct error err;

    text_init(&json, JOBSPEC_BYTES_MAX);
    if (spec && jobspec_write(spec, &json, &err) != STATUS_OK) {
        text_deinit(&json);
        elog(ERROR, "%s", err.message);
    }
    put_sized(bytes, text_slice(&json));
    text_deinit(&json);
}

static void put_counted(const struct scan *scan, struct text *bytes)
{
    put_u32(bytes, scan->order.counted);
    for (uint32_t i = 0; i < scan->order.counted; i++) {
        put_u8(bytes, scan->order.are_keys[i]);
        put_u32(bytes, (uint32_t)scan->columns[i]);
    }
}

/* The object is given away; NULL: empty, there is none. */
static void put_json(cJSON *object, struct text *bytes)
{
    enum status status = STATUS_OK;
    struct error err;
    struct text json;

    text_init(&json, NAME_MAX_BYTES);
    if (object)
        status = json_print(object, false, &json, &err);
    cJSON_Delete(object);
    if (status == STATUS_OK)
        put_sized(bytes, text_slice(&json));
    text_deinit(&json);
    if (status != STATUS_OK)
        elog(ERROR, "%s", err.message);
}

static void put_cross(const struct cross *cross, struct text *bytes)
{
    cJSON *object = cross ? cJSON_CreateObject() : NULL;

    if (cross)
        json_add(object, "cross", cross_to_json(cross));
    put_json(object, bytes);
    put_u32(bytes, cross ? cross->buckets : 0);
    for (uint32_t i = 0; cross && i < cross->count; i++)
        put_u32(bytes, cross->columns[i].cell);
}

static void put_list(const struct cell_list *list, struct text *bytes)
{
    cJSON *object = list->form ? cJSON_CreateObject() : NULL;

    if (list->form)
        cell_list_write(list, object);
    put_json(object, bytes);
}

static void put_order(const struct order *order, struct text *bytes)
{
    const struct table_scan *tables = &order->tables;
    const struct scan *scan = &order->scan;

    put_sized(bytes, slice_of(scan->path));
    put_u8(bytes, scan->order.by_key);
    put_u64(bytes, scan->order.seed);
    put_f64(bytes, scan->order.held_out.share);
    put_u32(bytes, scan->order.held_out.least_rows);
    put_u8(bytes, scan->order.held_out.by_class);
    put_u32(bytes, scan->order.held_out.class_column);
    put_u8(bytes, scan->order.held_out.by_group);
    put_u32(bytes, scan->order.held_out.group_column);
    put_u32(bytes, scan->order.held_out.group_columns);
    put_spec(scan->order.spec, bytes);
    put_u64(bytes, scan->count);
    for (size_t i = 0; i < scan->count; i++) {
        put_sized(bytes, scan->spooled[i].name);
        put_u8(bytes, (uint8_t)scan->spooled[i].type);
        put_u8(bytes, (uint8_t)scan->spooled[i].reading);
        put_u32(bytes, scan->spooled[i].ids);
        put_list(&scan->spooled[i].items, bytes);
        put_u32(bytes, (uint32_t)scan->columns[i]);
    }
    put_counted(scan, bytes);
    put_u64(bytes, scan->vectors.count);
    put_u64(bytes, scan->vectors.columns);
    put_u8(bytes, scan->vectors.waits);
    for (size_t i = 0; i < scan->vectors.count; i++) {
        put_sized(bytes, scan->vectors.items[i].name);
        put_u32(bytes, scan->vectors.items[i].column);
        put_u32(bytes, scan->vectors.items[i].size);
        put_u32(bytes, scan->vectors.items[i].parts);
        put_u8(bytes, (uint8_t)scan->vectors.items[i].reading);
        put_list(&scan->vectors.items[i].list, bytes);
        put_u8(bytes, scan->vectors.items[i].is_counted);
        put_cross(scan->vectors.items[i].cross, bytes);
    }
    put_sized(bytes, tables->columns);
    put_u64(bytes, tables->ranges);
    put_u64(bytes, tables->range_pages);
    put_u64(bytes, tables->count);
    for (size_t i = 0; i < tables->count; i++) {
        put_sized(bytes, tables->tables[i].name);
        put_u64(bytes, tables->tables[i].pages);
        put_u64(bytes, tables->tables[i].first_range);
    }
}

static struct slice copy_sized(struct byte_reader *reader)
{
    const struct slice bytes = read_sized(reader, NAME_MAX_BYTES);

    return (struct slice){pnstrdup(bytes.data ? bytes.data : "", bytes.size), bytes.size};
}

/* NULL: there is none. */
static cJSON *read_json(struct byte_reader *reader)
{
    const struct slice bytes = read_sized(reader, NAME_MAX_BYTES);
    struct error err;
    cJSON *json;

    if (bytes.size == 0)
        return NULL;
    if (json_parse(bytes, NAME_MAX_BYTES, &json, &err) != STATUS_OK)
        elog(ERROR, "%s", err.message);
    return json;
}

static struct cell_list read_list(struct byte_reader *reader)
{
    struct cell_list list = {.form = LIST_NONE};
    cJSON *json = read_json(reader);
    enum status status;
    struct error err;

    if (!json)
        return list;
    status = cell_list_get(json, &list, &err);
    cJSON_Delete(json);
    if (status != STATUS_OK)
        elog(ERROR, "%s", err.message);
    return list;
}

static const struct cross *read_cross(struct byte_reader *reader, struct arena *arena)
{
    cJSON *json = read_json(reader);
    const uint32_t buckets = read_u32(reader);
    struct cross *cross = NULL;
    enum status status;
    struct error err;

    if (!json)
        return NULL;
    status = cross_from_json(json, "cross", buckets, arena, &cross, &err);
    cJSON_Delete(json);
    if (status != STATUS_OK)
        elog(ERROR, "%s", err.message);
    for (uint32_t i = 0; i < cross->count; i++)
        cross->columns[i].cell = read_u32(reader);
    return cross;
}

static struct vectors read_vectors(struct byte_reader *reader, struct arena *arena)
{
    struct vectors vectors = {.count = read_u64(reader)};
    struct vector *items = palloc0(sizeof *items * (vectors.count + 1));

    vectors.columns = read_u64(reader);
    vectors.waits = read_u8(reader) != 0;
    for (size_t i = 0; i < vectors.count && !reader->failed; i++) {
        items[i].name = copy_sized(reader);
        items[i].column = read_u32(reader);
        items[i].size = read_u32(reader);
        items[i].parts = read_u32(reader);
        items[i].reading = (enum input_reading)read_u8(reader);
        items[i].list = read_list(reader);
        items[i].is_counted = read_u8(reader) != 0;
        items[i].cross = read_cross(reader, arena);
        vectors.elements += items[i].size;
    }
    vectors.items = items;
    return vectors;
}

static const struct jobspec *read_spec(struct byte_reader *reader, struct arena *arena)
{
    const struct slice json = read_sized(reader, JOBSPEC_BYTES_MAX);
    struct jobspec *spec = palloc0(sizeof *spec);
    struct error err;

    if (json.size == 0)
        return NULL;
    if (jobspec_read(json, arena, spec, &err) != STATUS_OK)
        elog(ERROR, "%s", err.message);
    return spec;
}

static void read_scan(struct byte_reader *reader, struct arena *arena, struct scan *scan)
{
    const struct slice path = copy_sized(reader);
    const bool by_key = read_u8(reader) != 0;
    const uint64_t seed = read_u64(reader);
    const double share = read_f64(reader);
    const uint32_t least_rows = read_u32(reader);
    const bool by_class = read_u8(reader) != 0;
    const uint32_t class_column = read_u32(reader);
    const bool by_group = read_u8(reader) != 0;
    const uint32_t group_column = read_u32(reader), group_columns = read_u32(reader);
    const struct jobspec *spec = read_spec(reader, arena);
    const size_t count = read_u64(reader);
    struct spool_column *spooled = palloc0(sizeof *spooled * (count + 1));
    int *columns = palloc0(sizeof *columns * (count + 1));
    struct vectors vectors;
    uint32_t counted;
    bool *are_keys;
    struct error err;

    for (size_t i = 0; i < count && !reader->failed; i++) {
        spooled[i].name = copy_sized(reader);
        spooled[i].type = (enum spool_type)read_u8(reader);
        spooled[i].reading = (enum input_reading)read_u8(reader);
        spooled[i].ids = read_u32(reader);
        spooled[i].items = read_list(reader);
        columns[i] = (int)read_u32(reader);
    }
    counted = read_u32(reader);
    are_keys = palloc0(sizeof *are_keys * (counted + (size_t)1));
    if (counted > count)
        columns = repalloc(columns, sizeof *columns * (counted + (size_t)1));
    for (uint32_t i = 0; i < counted && !reader->failed; i++) {
        are_keys[i] = read_u8(reader) != 0;
        columns[i] = (int)read_u32(reader);
    }
    vectors = read_vectors(reader, arena);
    if (reader->failed || scan_restore(spooled, columns, count, arena, scan, &err) != STATUS_OK)
        elog(ERROR, "the order of a scan cannot be read");
    scan->path = path.data;
    scan->order = (struct spool_order){.by_key = by_key,
                                       .seed = seed,
                                       .held_out = {share, least_rows, by_class, class_column,
                                                    by_group, group_column, group_columns},
                                       .spec = spec,
                                       .counted = counted,
                                       .are_keys = are_keys};
    scan->vectors = vectors;
}

static void read_order(struct slice bytes, struct arena *arena, struct order *order)
{
    struct byte_reader reader = byte_reader_over(bytes);
    struct table_scan *tables = &order->tables;

    read_scan(&reader, arena, &order->scan);
    *tables = (struct table_scan){.columns = copy_sized(&reader)};
    tables->ranges = read_u64(&reader);
    tables->range_pages = read_u64(&reader);
    tables->count = read_u64(&reader);
    tables->tables = palloc0(sizeof *tables->tables * (tables->count + 1));
    for (size_t i = 0; i < tables->count && !reader.failed; i++) {
        tables->tables[i].name = copy_sized(&reader);
        tables->tables[i].pages = read_u64(&reader);
        tables->tables[i].first_range = read_u64(&reader);
    }
    if (!reader_is_done(&reader))
        elog(ERROR, "the order of a scan cannot be read");
}

/* ----- a reader: the backend or a worker ----- */

struct reader {
    const struct order *order;
    struct spool_writer *writer;
    void *room; /* for a row */
};

static enum status put_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    const struct reader *reader = self;

    return scan_put_row(&reader->order->scan, cells, reader->room, reader->writer, err);
}

static struct slice piece_sql(const struct table_scan *tables, uint64_t number)
{
    struct text sql;
    char *copy = NULL;
    size_t size;

    text_init(&sql, TEXT_MAXIMUM);
    table_scan_append(tables, number, &sql);
    size = sql.size;
    if (!sql.failed)
        copy = MemoryContextAllocExtended(CurrentMemoryContext, size + 1, MCXT_ALLOC_NO_OOM);
    if (copy)
        memcpy(copy, text_string(&sql), size + 1);
    text_deinit(&sql);
    if (!copy)
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
    return (struct slice){copy, size};
}

static enum status read_pieces(struct session *session, struct pieces *pieces,
                               struct reader *reader, struct error *err)
{
    const struct database_rows rows = {.self = reader, .row = put_row};
    uint64_t number;

    while ((number = pg_atomic_fetch_add_u64(&pieces->next, 1)) < reader->order->tables.ranges) {
        const struct database_statement statement = {.sql =
                                                         piece_sql(&reader->order->tables, number)};

        TRY(session->database.query(session, &statement, &rows, NULL, err));
        pfree((char *)(uintptr_t)statement.sql.data);
    }
    return spool_writer_flush(reader->writer, err);
}

/* ----- a worker ----- */

static void index_path(const char *path, int number, char buffer[MAXPGPATH])
{
    snprintf(buffer, MAXPGPATH, "%s.%d.index.spool", path, number); /* goes with the rows */
}

static enum status write_index(const char *path, const struct text *index, struct error *err)
{
    FILE *file = fopen(path, "we");

    if (!file || fwrite(index->data, 1, index->size, file) != index->size || fflush(file) != 0) {
        fail_errno(err, STATUS_IO, "cannot write %s", path);
        if (file)
            fclose(file);
        return STATUS_IO;
    }
    return fclose(file) == 0 ? STATUS_OK : fail_errno(err, STATUS_IO, "cannot write %s", path);
}

static enum status read_part(struct session *session, struct pieces *pieces,
                             const struct order *order, struct error *err)
{
    struct reader reader = {.order = order, .room = palloc0(scan_room_bytes(&order->scan))};
    const int number = ParallelWorkerNumber;
    char path[MAXPGPATH];
    enum status status;
    struct text index;

    TRY(spool_part_open(order->scan.path, (uint32_t)number, order->scan.spooled, order->scan.count,
                        &reader.writer, err));
    status = spool_writer_sort(reader.writer, &order->scan.order, err);
    if (status == STATUS_OK)
        status = read_pieces(session, pieces, &reader, err);
    text_init(&index, SPOOL_PART_INDEX_BYTES_MAX);
    if (status == STATUS_OK)
        status = spool_part_close(reader.writer, &index, err);
    else
        spool_writer_abandon(reader.writer);
    index_path(order->scan.path, number, path);
    if (status == STATUS_OK)
        status = write_index(path, &index, err);
    text_deinit(&index);
    return status;
}

void totrain_scan_main(dsm_segment *segment, shm_toc *toc)
{
    struct pieces *pieces = shm_toc_lookup(toc, KEY_PIECES, false);
    const char *bytes = shm_toc_lookup(toc, KEY_ORDER, false);
    struct session session;
    struct order order;
    struct arena arena;
    struct error err;
    uint64_t size;

    memcpy(&size, bytes, sizeof size);
    session_init(&session, true);
    arena_init(&arena, ARENA_MAXIMUM);
    read_order((struct slice){bytes + sizeof size, size}, &arena, &order);
    if (read_part(&session, pieces, &order, &err) != STATUS_OK)
        session_raise(&session, &err, SLICE(""), false);
    arena_deinit(&arena);
}

/* ----- the backend ----- */

struct scan_call {
    struct order order;
    const struct text *bytes;
    uint32_t workers, launched;
    struct spool_writer *branch;
};

static ParallelContext *launch(const struct scan_call *call, struct pieces **pieces)
{
    ParallelContext *context =
        CreateParallelContext("totrain", "totrain_scan_main", (int)call->workers);
    const uint64_t size = call->bytes->size;
    char *bytes;

    shm_toc_estimate_chunk(&context->estimator, sizeof **pieces);
    shm_toc_estimate_chunk(&context->estimator, sizeof size + size);
    shm_toc_estimate_keys(&context->estimator, 2);
    InitializeParallelDSM(context);
    *pieces = shm_toc_allocate(context->toc, sizeof **pieces);
    pg_atomic_init_u64(&(*pieces)->next, 0);
    shm_toc_insert(context->toc, KEY_PIECES, *pieces);
    bytes = shm_toc_allocate(context->toc, sizeof size + size);
    memcpy(bytes, &size, sizeof size);
    memcpy(bytes + sizeof size, call->bytes->data, size);
    shm_toc_insert(context->toc, KEY_ORDER, bytes);
    LaunchParallelWorkers(context);
    return context;
}

/* The readers read within the subtransaction of the guard: what the backend's own
 * reader throws is thrown again there, and ends the workers. */
static enum status scan_body(struct session *session, void *self, struct error *err)
{
    struct scan_call *call = self;
    struct reader reader = {.order = &call->order,
                            .writer = call->branch,
                            .room = palloc0(scan_room_bytes(&call->order.scan))};
    struct session own;
    struct pieces *pieces;
    ParallelContext *context;
    enum status status;

    session_init(&own, true);
    CommandCounterIncrement();
    PushActiveSnapshot(GetTransactionSnapshot());
    EnterParallelMode();
    context = launch(call, &pieces);
    call->launched = (uint32_t)context->nworkers_launched;
    status = read_pieces(&own, pieces, &reader, err);
    if (own.interrupt)
        ReThrowError(own.interrupt);
    if (status == STATUS_OK) {
        WaitForParallelWorkersToFinish(context);
        DestroyParallelContext(context);
        ExitParallelMode();
        PopActiveSnapshot();
    }
    return status; /* an error of the spool's: the rollback ends the workers */
}

static enum status read_index(const char *path, struct text *index, struct error *err)
{
    char bytes[8192];
    FILE *file = fopen(path, "re");
    size_t size;

    if (!file)
        return fail_errno(err, STATUS_IO, "cannot read %s", path);
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        text_append(index, (struct slice){bytes, size});
    fclose(file);
    return index->failed ? fail_no_memory(err) : STATUS_OK;
}

static enum status join_part(const struct scan_call *call, uint32_t number, struct error *err)
{
    const struct scan *scan = &call->order.scan;
    char path[MAXPGPATH];
    struct text index;
    enum status status;

    index_path(scan->path, (int)number, path);
    text_init(&index, SPOOL_PART_INDEX_BYTES_MAX);
    status = read_index(path, &index, err);
    if (status == STATUS_OK)
        status = spool_writer_join_part(scan->writer, number, text_slice(&index), err);
    text_deinit(&index);
    (void)unlink(path);
    return status;
}

static void remove_parts(const struct scan_call *call)
{
    for (uint32_t i = 0; i < call->launched; i++) {
        char path[MAXPGPATH];

        index_path(call->order.scan.path, (int)i, path);
        (void)unlink(path);
        spool_part_remove(call->order.scan.path, i);
    }
}

static enum status read_tables(struct session *session, struct scan_call *call, struct error *err)
{
    struct spool_writer *writer = call->order.scan.writer;
    struct error ignored;
    enum status status;

    TRY(spool_writer_branch(writer, &call->branch, err));
    status = session_guard(session, scan_body, call, err);
    if (spool_writer_join(writer, call->branch, status == STATUS_OK ? err : &ignored) !=
            STATUS_OK &&
        status == STATUS_OK)
        status = err->status;
    for (uint32_t i = 0; i < call->launched && status == STATUS_OK; i++)
        status = join_part(call, i, err);
    if (status != STATUS_OK)
        remove_parts(call);
    return status;
}

static enum status plan(struct sql_host *host, struct slice select, struct arena *arena,
                        struct scan_call *call, const char **reason, struct error *err)
{
    const struct scan *scan = &call->order.scan;
    struct database_column *columns;
    size_t count = 0;

    call->workers = scan->threads - 1;
    if (call->workers > (uint32_t)max_parallel_workers_per_gather)
        call->workers = (uint32_t)max_parallel_workers_per_gather;
    if (IsInParallelMode())
        *reason = "the session works in parallel already";
    else if (scan->threads < 2)
        *reason = "there is one processor";
    else if (call->workers == 0)
        *reason = "max_parallel_workers_per_gather is 0";
    if (*reason)
        return STATUS_OK;
    TRY(table_scan_plan(host, select, call->workers + 1, arena, &call->order.tables, reason, err));
    if (*reason)
        return STATUS_OK;
    TRY(host->database->describe(host->database->self, select, arena, &columns, &count, err));
    for (size_t i = 0; i < scan->count || i < scan->order.counted; i++)
        if ((size_t)scan->columns[i] >= count + scan->vectors.elements ||
            (scan->vectors.count > 0 && scan->vectors.columns != count))
            return fail(err, STATUS_DATABASE, "the query has other columns than before");
    return STATUS_OK;
}

static enum status scan_in(struct sql_host *host, struct slice select, struct arena *arena,
                           struct scan_call *call, struct scan_outcome *outcome, struct error *err)
{
    struct text bytes;
    enum status status;

    TRY(plan(host, select, arena, call, &outcome->reason, err));
    if (outcome->reason)
        return STATUS_OK;
    text_init(&bytes, TEXT_MAXIMUM);
    put_order(&call->order, &bytes);
    call->bytes = &bytes;
    status = bytes.failed ? fail_no_memory(err) : read_tables(host->database->self, call, err);
    text_deinit(&bytes);
    outcome->readers = 1 + call->launched;
    return status;
}

enum status parallel_scan(void *self, struct slice select, const struct scan *scan,
                          struct scan_outcome *outcome, struct error *err)
{
    struct scan_call call = {.order.scan = *scan};
    struct arena arena;
    enum status status;

    *outcome = (struct scan_outcome){.readers = 0};
    arena_init(&arena, ARENA_MAXIMUM);
    status = scan_in(self, select, &arena, &call, outcome, err);
    arena_deinit(&arena);
    return status;
}
