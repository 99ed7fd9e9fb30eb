#include "extension/postgres/server/session/model_heap.h"

#include <access/detoast.h>
#include <access/heapam.h>
#include <access/relation.h>
#include <access/tableam.h>
#include <access/xact.h>
#include <catalog/pg_class.h>
#include <catalog/pg_type.h>
#include <executor/executor.h>
#include <executor/tuptable.h>
#include <miscadmin.h>
#include <storage/bufmgr.h>
#include <storage/lmgr.h>
#include <utils/acl.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>
#include <utils/rel.h>
#include <utils/rls.h>
#include <utils/snapmgr.h>

#include "base/sums/hash.h"
#include "extension/postgres/server/session/model_view.h"
#include "extension/postgres/server/session/values.h"
#include "scoring/tables/model_table.h"

#define VALUE_BYTES_MAX (MODEL_META_BYTES_MAX + 1024)
/* A listing searches so much of a table for a meta row; a statement that names a model
 * reads all. */
#define LISTED_BLOCKS_MAX ((BlockNumber)(((size_t)256 << 20) / BLCKSZ))

/* In the order of the cells that a reader of models expects. */
static const struct {
    const char *name;
    Oid type;
} model_columns[MODEL_COLUMNS] = {{"part", TEXTOID},
                                  {"name", TEXTOID},
                                  {"position", INT8OID},
                                  {"value", FLOAT8OID},
                                  {"data", BYTEAOID}};

struct scan {
    struct session *session;
    const struct model_read *read;
    const struct database_rows *rows;
    AttrNumber columns[MODEL_COLUMNS];
    struct value_reader readers[MODEL_COLUMNS];
    uint64_t found; /* rows that were given */
};

/* ----- is it a model that the caller may read? Under the lock. ----- */

static bool find_columns(Relation relation, AttrNumber columns[MODEL_COLUMNS])
{
    const TupleDesc descriptor = RelationGetDescr(relation);
    int there = 0, found = 0;

    for (int i = 0; i < descriptor->natts; i++) {
        const FormData_pg_attribute *attribute = TupleDescAttr(descriptor, i);

        if (attribute->attisdropped)
            continue;
        there++;
        for (int c = 0; c < MODEL_COLUMNS; c++)
            if (strcmp(NameStr(attribute->attname), model_columns[c].name) == 0 &&
                attribute->atttypid == model_columns[c].type && attribute->attgenerated == '\0') {
                columns[c] = attribute->attnum;
                found++;
            }
    }
    return there == MODEL_COLUMNS && found == MODEL_COLUMNS;
}

static bool may_read(Relation relation, const AttrNumber columns[MODEL_COLUMNS])
{
    const Oid id = RelationGetRelid(relation);

    if (pg_class_aclcheck(id, GetUserId(), ACL_SELECT) == ACLCHECK_OK)
        return true;
    for (int c = 0; c < MODEL_COLUMNS; c++)
        if (pg_attribute_aclcheck(id, columns[c], GetUserId(), ACL_SELECT) != ACLCHECK_OK)
            return false;
    return true;
}

static struct slice name_of(Relation relation)
{
    const char *name = quote_qualified_identifier(
        get_namespace_name(RelationGetNamespace(relation)), RelationGetRelationName(relation));

    return session_to_utf8(name, strlen(name));
}

static enum status check_relation(Relation relation, struct scan *scan, struct error *err)
{
    const struct slice name = name_of(relation);
    const char kind = relation->rd_rel->relkind;

    if (kind != RELKIND_RELATION && kind != RELKIND_MATVIEW && kind != RELKIND_VIEW)
        return fail(err, STATUS_INVALID,
                    "%.*s is neither a table nor a view, and no model is read from it",
                    SLICE_FORMAT(name));
    if (!find_columns(relation, scan->columns))
        return fail(err, STATUS_CORRUPT, "table \"%s\" is no model",
                    session_shown(RelationGetRelationName(relation)).data);
    if (RELATION_IS_OTHER_TEMP(relation))
        return fail(err, STATUS_PERMISSION, "%.*s is a temporary table of another session",
                    SLICE_FORMAT(name));
    if (!may_read(relation, scan->columns))
        return fail(err, STATUS_PERMISSION, "permission denied for %s %.*s",
                    kind == RELKIND_VIEW ? "view" : "table", SLICE_FORMAT(name));
    if (check_enable_rls(RelationGetRelid(relation), InvalidOid, true) != RLS_ENABLED)
        return STATUS_OK;
    fail(err, STATUS_PERMISSION, "row security guards table %.*s, and holds for you",
         SLICE_FORMAT(name));
    return error_hint(err, "A model is read as a whole, by roles for which no policy has to be "
                           "called: its owner can disable row security on it.");
}

/* ----- the scan ----- */

/* A small compressed value may claim a gigabyte: no value of a model is so large. */
static bool is_too_long(Oid type, Datum value)
{
    return (type == TEXTOID || type == BYTEAOID) && toast_raw_datum_size(value) > VALUE_BYTES_MAX;
}

/* The first three cells tell whether the rest of the row is even unpacked. */
static bool is_wanted(const struct model_read *read, int column, const struct cell *cell)
{
    const bool is_text = cell->type == CELL_TEXT;

    if (read->only_meta)
        return column > 0 || (is_text && slice_is(cell->text, "meta"));
    if (read->part.size == 0)
        return true;
    switch (column) {
    case 0:
        return is_text && slice_equal(cell->text, read->part);
    case 1:
        return is_text && slice_equal(cell->text, read->name);
    case 2:
        return cell->type == CELL_INTEGER && cell->integer >= read->first &&
               cell->integer < read->end;
    case 4:
        return !read->data.data || (cell->type == CELL_BLOB && slice_equal(cell->text, read->data));
    default:
        return true;
    }
}

/* No further row is wanted. */
static bool is_enough(const struct scan *scan)
{
    const struct model_read *read = scan->read;
    const uint64_t most = read->data.data ? 1 : (uint64_t)(read->end - read->first);

    return read->only_meta ? scan->found > 0 : read->part.size > 0 && scan->found >= most;
}

static enum status give_row(struct scan *scan, TupleTableSlot *slot, struct error *err)
{
    struct cell cells[MODEL_COLUMNS];
    bool is_null;

    for (int c = 0; c < MODEL_COLUMNS; c++) {
        const Datum value = slot_getattr(slot, scan->columns[c], &is_null);

        if (is_null) {
            cells[c] = (struct cell){.type = CELL_NULL};
            continue;
        }
        if (is_too_long(model_columns[c].type, value))
            return fail(err, STATUS_CORRUPT, "model: a value of %zu bytes, where at most %zu are",
                        (size_t)toast_raw_datum_size(value), VALUE_BYTES_MAX);
        cells[c] = value_read(&scan->readers[c], value);
        if (!is_wanted(scan->read, c, &cells[c]))
            return STATUS_OK;
    }
    scan->found++;
    return scan->rows->row(scan->rows->self, cells, MODEL_COLUMNS, err);
}

static TableScanDesc begin_scan(Relation relation, BlockNumber first, BlockNumber count)
{
    TableScanDesc scan =
        table_beginscan_strat(relation, GetActiveSnapshot(), 0, NULL, true, /* no sync */ false);

    if (count != InvalidBlockNumber)
        heap_setscanlimits(scan, first, count);
    return scan;
}

/* So many blocks; InvalidBlockNumber: all. */
static enum status scan_blocks(Relation relation, struct scan *scan, BlockNumber first,
                               BlockNumber count, struct error *err)
{
    MemoryContext row =
        AllocSetContextCreate(CurrentMemoryContext, "totrain row", ALLOCSET_DEFAULT_SIZES);
    TupleTableSlot *slot = table_slot_create(relation, NULL);
    TableScanDesc heap = begin_scan(relation, first, count);
    enum status status = STATUS_OK;

    while (status == STATUS_OK && !is_enough(scan) &&
           table_scan_getnextslot(heap, ForwardScanDirection, slot)) {
        MemoryContext context = MemoryContextSwitchTo(row);

        CHECK_FOR_INTERRUPTS();
        status = give_row(scan, slot, err);
        MemoryContextSwitchTo(context);
        MemoryContextReset(row);
    }
    table_endscan(heap);
    ExecDropSingleTupleTableSlot(slot);
    MemoryContextDelete(row);
    return status;
}

/* The meta row is the first that was written, or, of a model that came by pieces, the last. */
static enum status scan_for_meta(Relation relation, struct scan *scan, BlockNumber blocks,
                                 struct error *err)
{
    const BlockNumber between = blocks - 2;
    const bool is_part = scan->read->at_once && between > LISTED_BLOCKS_MAX;

    TRY(scan_blocks(relation, scan, 0, 1, err));
    if (scan->found == 0)
        TRY(scan_blocks(relation, scan, blocks - 1, 1, err));
    if (scan->found == 0)
        TRY(scan_blocks(relation, scan, 1, is_part ? LISTED_BLOCKS_MAX : between, err));
    return STATUS_OK;
}

static enum status scan_heap(Relation relation, struct scan *scan, struct error *err)
{
    BlockNumber blocks = 0;

    for (int c = 0; c < MODEL_COLUMNS; c++)
        value_reader_init(&scan->readers[c], model_columns[c].type, FORM_DATA);
    if (scan->read->only_meta && relation->rd_tableam == GetHeapamTableAmRoutine())
        blocks = RelationGetNumberOfBlocks(relation);
    return blocks > 2 ? scan_for_meta(relation, scan, blocks, err)
                      : scan_blocks(relation, scan, 0, InvalidBlockNumber, err);
}

static enum status read_relation(Relation relation, struct scan *scan, struct error *err)
{
    TRY(check_relation(relation, scan, err));
    if (relation->rd_rel->relkind == RELKIND_VIEW)
        return model_view_read(relation, scan->columns, scan->read, scan->rows, err);
    if (!RelationIsPopulated(relation))
        return fail(err, STATUS_INVALID, "materialized view %.*s has not been populated",
                    SLICE_FORMAT(name_of(relation)));
    return scan_heap(relation, scan, err);
}

/* NULL where it is gone. */
static Relation open_locked(const struct model_read *read, bool *is_locked)
{
    *is_locked = true;
    if (!read->at_once)
        LockRelationOid(read->relation, AccessShareLock);
    else if (!ConditionalLockRelationOid(read->relation, AccessShareLock))
        *is_locked = false;
    return *is_locked ? try_relation_open(read->relation, NoLock) : NULL;
}

static enum status read_body(struct session *session, void *call, struct error *err)
{
    struct scan *scan = call;
    enum status status;
    Relation relation;
    bool is_locked;

    relation = open_locked(scan->read, &is_locked);
    if (!is_locked)
        return fail(err, STATUS_BUSY, "another session has locked it");
    if (!relation) {
        UnlockRelationOid(scan->read->relation, AccessShareLock);
        return fail(err, STATUS_NOT_FOUND, "the model's table was dropped meanwhile");
    }
    /* Rows that the transaction itself has written are read, as by a query of its own. In a
     * function the calling statement's snapshot counts. */
    if (!session->is_function)
        CommandCounterIncrement();
    PushActiveSnapshot(session->is_function ? GetActiveSnapshot() : GetTransactionSnapshot());
    status = read_relation(relation, scan, err);
    PopActiveSnapshot();
    /* A listing makes no one wait; otherwise the lock lasts as long as a query's would. */
    relation_close(relation, scan->read->at_once ? AccessShareLock : NoLock);
    return status;
}

enum status model_heap_read(void *self, const struct model_read *read,
                            const struct database_rows *rows, struct error *err)
{
    struct scan scan = {.session = self, .read = read, .rows = rows};

    return session_guard(self, read_body, &scan, err);
}

/* ----- which rows they are ----- */

/* Versions of rows that are hashed at a time. */
#define VERSIONS_AT_ONCE 128

/* A version of a row. A place and a transaction are not enough: what a transaction has written into
 * a table of its own it may truncate and write again. */
struct row_version {
    uint32_t block, offset;
    TransactionId inserted_by;
    uint32_t command; /* its number in that transaction, or in one that has deleted the row */
};

static struct row_version version_of(HeapTuple tuple)
{
    return (struct row_version){.block = ItemPointerGetBlockNumber(&tuple->t_self),
                                .offset = ItemPointerGetOffsetNumber(&tuple->t_self),
                                .inserted_by = HeapTupleHeaderGetRawXmin(tuple->t_data),
                                .command = HeapTupleHeaderGetRawCommandId(tuple->t_data)};
}

static void identify_rows(Relation relation, struct model_identity *identity)
{
    struct row_version versions[VERSIONS_AT_ONCE];
    TableScanDesc scan =
        table_beginscan_strat(relation, GetActiveSnapshot(), 0, NULL, true, /* no sync */ false);
    HeapTuple tuple;
    size_t count = 0;

    while ((tuple = heap_getnext(scan, ForwardScanDirection)) != NULL) {
        versions[count++] = version_of(tuple);
        identity->rows++;
        if (count < VERSIONS_AT_ONCE)
            continue;
        identity->hash = bytes_hash(versions, sizeof versions, identity->hash);
        count = 0;
    }
    table_endscan(scan);
    identity->hash = bytes_hash(versions, count * sizeof *versions, identity->hash);
}

bool model_heap_identify(Oid table, struct model_identity *identity)
{
    Relation relation = try_relation_open(table, NoLock);
    struct scan scan;
    struct error ignored;
    bool is_heap;

    memset(identity, 0, sizeof *identity); /* compared as bytes */
    if (!relation)
        return false;
    is_heap = check_relation(relation, &scan, &ignored) == STATUS_OK &&
              relation->rd_rel->relkind != RELKIND_VIEW && RelationIsPopulated(relation) &&
              relation->rd_tableam == GetHeapamTableAmRoutine();
    if (is_heap) {
        identity->table = table;
        identity->file = relation->rd_rel->relfilenode;
        memcpy(identity->columns, scan.columns, sizeof scan.columns);
        identify_rows(relation, identity);
    }
    relation_close(relation, NoLock);
    return is_heap;
}
