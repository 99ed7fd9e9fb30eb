#include "extension/postgres/server/session/model_view.h"

#include <access/tableam.h>
#include <executor/executor.h>
#include <nodes/makefuncs.h>
#include <parser/parse_node.h>
#include <parser/parse_relation.h>
#include <rewrite/rewriteHandler.h>
#include <tcop/dest.h>
#include <tcop/tcopprot.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>
#include <utils/rel.h>
#include <utils/snapmgr.h>

#include "extension/postgres/server/session/values.h"

/* ----- the query, made without names ----- */

static List *all_columns(ParseState *state, ParseNamespaceItem *item, Relation view,
                         const AttrNumber columns[MODEL_COLUMNS])
{
    List *targets = NIL;

    for (int c = 0; c < MODEL_COLUMNS; c++) {
        const char *name = NameStr(TupleDescAttr(RelationGetDescr(view), columns[c] - 1)->attname);
        Node *column = scanNSItemForColumn(state, item, 0, name, -1);

        targets = lappend(
            targets, makeTargetEntry((Expr *)column, (AttrNumber)(c + 1), pstrdup(name), false));
    }
    return targets;
}

static Query *make_query(Relation view, const AttrNumber columns[MODEL_COLUMNS])
{
    ParseState *state = make_parsestate(NULL);
    Query *query = makeNode(Query);
    ParseNamespaceItem *item;

    query->commandType = CMD_SELECT;
    query->canSetTag = true;
    item = addRangeTableEntryForRelation(state, view, AccessShareLock, NULL, true, true);
    addNSItemToQuery(state, item, true, true, true);
    query->targetList = all_columns(state, item, view, columns);
    query->rtable = state->p_rtable;
#if PG_VERSION_NUM >= 160000
    query->rteperminfos = state->p_rteperminfos;
#endif
    query->jointree = makeFromExpr(state->p_joinlist, NULL);
    free_parsestate(state);
    return query;
}

static PlannedStmt *make_plan(Relation view, const AttrNumber columns[MODEL_COLUMNS])
{
    List *queries = QueryRewrite(make_query(view, columns));

    if (list_length(queries) != 1)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("\"%s\" is no view", RelationGetRelationName(view))));
    return pg_plan_query(linitial_node(Query, queries), "", 0, NULL);
}

/* ----- its rows ----- */

struct view_receiver {
    DestReceiver receiver;
    const struct model_read *read;
    const struct database_rows *rows;
    struct value_reader readers[MODEL_COLUMNS];
    MemoryContext row;
    enum status status; /* the status of the callback */
    struct error *err;
};

static void start(DestReceiver *self, int operation, TupleDesc descriptor)
{
    struct view_receiver *receiver = (struct view_receiver *)self;

    for (int c = 0; c < MODEL_COLUMNS; c++)
        value_reader_init(&receiver->readers[c], TupleDescAttr(descriptor, c)->atttypid, FORM_DATA);
    receiver->row =
        AllocSetContextCreate(CurrentMemoryContext, "totrain row", ALLOCSET_DEFAULT_SIZES);
}

static enum status give_row(struct view_receiver *receiver, TupleTableSlot *slot)
{
    struct cell cells[MODEL_COLUMNS];

    slot_getallattrs(slot);
    for (int c = 0; c < MODEL_COLUMNS; c++)
        cells[c] = slot->tts_isnull[c] ? (struct cell){.type = CELL_NULL}
                                       : value_read(&receiver->readers[c], slot->tts_values[c]);
    if (receiver->read->only_meta &&
        (cells[0].type != CELL_TEXT || !slice_is(cells[0].text, "meta")))
        return STATUS_OK;
    return receiver->rows->row(receiver->rows->self, cells, MODEL_COLUMNS, receiver->err);
}

/* False ends the query. */
static bool receive(TupleTableSlot *slot, DestReceiver *self)
{
    struct view_receiver *receiver = (struct view_receiver *)self;
    MemoryContext context = MemoryContextSwitchTo(receiver->row);

    CHECK_FOR_INTERRUPTS();
    receiver->status = give_row(receiver, slot);
    MemoryContextSwitchTo(context);
    MemoryContextReset(receiver->row);
    return receiver->status == STATUS_OK;
}

static void do_nothing(DestReceiver *self)
{
}

static void run(PlannedStmt *plan, struct view_receiver *receiver)
{
    QueryDesc *query = CreateQueryDesc(plan, "", GetActiveSnapshot(), InvalidSnapshot,
                                       &receiver->receiver, NULL, NULL, 0);

    ExecutorStart(query, 0);
#if PG_VERSION_NUM >= 180000
    ExecutorRun(query, ForwardScanDirection, 0);
#else
    ExecutorRun(query, ForwardScanDirection, 0, true);
#endif
    ExecutorFinish(query);
    ExecutorEnd(query);
    FreeQueryDesc(query);
}

static enum status refuse_view(Relation view, struct error *err)
{
    const char *name = RelationGetRelationName(view);
    const char *owner = GetUserNameFromId(view->rd_rel->relowner, false);
    const char *copied =
        quote_qualified_identifier(get_namespace_name(RelationGetNamespace(view)), name);

    fail(err, STATUS_PERMISSION, "view %s belongs to another role, and is not read as a model",
         session_to_utf8(copied, strlen(copied)).data);
    return error_hint(
        err,
        "The functions of a view run as the role that reads it. Copy it into a table of "
        "your own if you trust %s: CREATE TABLE my_model AS TABLE %s;",
        session_to_utf8(owner, strlen(owner)).data, session_to_utf8(copied, strlen(copied)).data);
}

enum status model_view_read(Relation view, const AttrNumber columns[MODEL_COLUMNS],
                            const struct model_read *read, const struct database_rows *rows,
                            struct error *err)
{
    struct view_receiver receiver = {.receiver = {.receiveSlot = receive,
                                                  .rStartup = start,
                                                  .rShutdown = do_nothing,
                                                  .rDestroy = do_nothing,
                                                  .mydest = DestNone},
                                     .read = read,
                                     .rows = rows,
                                     .err = err};
    const Oid owner = view->rd_rel->relowner;

    if (owner != GetUserId() && !superuser_arg(owner))
        return refuse_view(view, err);
    run(make_plan(view, columns), &receiver);
    return receiver.status;
}
