#include "extension/postgres/server/session/own_sql.h"

#include <access/htup_details.h>
#include <access/transam.h>
#include <catalog/dependency.h>
#include <catalog/objectaccess.h>
#include <catalog/pg_class.h>
#include <catalog/pg_proc.h>
#include <catalog/pg_type.h>
#include <commands/extension.h>
#include <nodes/nodeFuncs.h>
#include <optimizer/planner.h>
#include <storage/lmgr.h>
#include <utils/builtins.h>
#include <utils/lsyscache.h>
#include <utils/syscache.h>

static planner_hook_type next_planner;
static object_access_hook_type next_access;
static struct own_sql announced;

struct own_sql own_sql_announce(struct own_sql own)
{
    const struct own_sql before = announced;

    announced = own;
    return before;
}

struct own_sql own_sql_now(void)
{
    return announced;
}

/* ----- tables ----- */

Oid relation_owner(Oid relation)
{
    HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
    Oid owner = InvalidOid;

    if (HeapTupleIsValid(tuple)) {
        owner = ((Form_pg_class)GETSTRUCT(tuple))->relowner;
        ReleaseSysCache(tuple);
    }
    return owner;
}

static void check_table(Oid relation)
{
    Oid owner;

    if (relation < FirstNormalObjectId) /* a table of the catalog */
        return;
    owner = relation_owner(relation);
    if (owner == GetUserId() || superuser_arg(owner))
        return;
    ereport(ERROR,
            (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
             errmsg("table %s belongs to another role",
                    quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
                                               get_rel_name(relation))),
             errhint("ToTrain writes and reads tables of its statements only where they are "
                     "the caller's own: triggers and constraints of others would run as "
                     "the caller.")));
}

static bool check_tables(Node *node, void *context)
{
    if (!node)
        return false;
    if (IsA(node, RangeTblEntry)) {
        const RangeTblEntry *entry = (RangeTblEntry *)node;
        if (entry->rtekind == RTE_RELATION)
            check_table(entry->relid);
        return false;
    }
    if (IsA(node, Query))
        return query_tree_walker((Query *)node, check_tables, context, QTW_EXAMINE_RTES_BEFORE);
    return expression_tree_walker(node, check_tables, context);
}

/* ----- types of labels ----- */

/* Does it return a value of the type of its last argument, by that type's input function? */
static bool converts(Oid function)
{
    const char *name;

    if (function < FirstNormalObjectId ||
        getExtensionOfObject(ProcedureRelationId, function) != get_extension_oid("totrain", true))
        return false;
    name = get_func_name(function);
    return name && (strcmp(name, "predict") == 0 || strcmp(name, "as_type") == 0) &&
           get_func_rettype(function) == ANYELEMENTOID;
}

static bool is_trusted_type(Oid type)
{
    if (type < FirstNormalObjectId)
        return true;
    LockDatabaseObject(TypeRelationId, type, 0, AccessShareLock);
    return get_typtype(type) == TYPTYPE_ENUM; /* '\0' where it is gone */
}

/* A NULL of a domain is no plain constant: the domain's constraints would be asked. */
static bool check_types(Node *node, void *context)
{
    if (!node || IsA(node, Query))
        return false;
    if (IsA(node, FuncExpr) && converts(((FuncExpr *)node)->funcid)) {
        const Node *last = llast(((FuncExpr *)node)->args);

        if (!IsA(last, Const) || !((const Const *)last)->constisnull ||
            !is_trusted_type(((const Const *)last)->consttype))
            ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                            errmsg("the type of the model's label, %s, is no enum any more",
                                   format_type_be(exprType(last))),
                            errhint("Another type has been put in its place meanwhile.")));
    }
    return expression_tree_walker(node, check_types, context);
}

static PlannedStmt *plan(Query *query, const char *sql, int options, ParamListInfo parameters)
{
    if (announced.sql && sql && strcmp(sql, announced.sql) == 0) {
        (void)expression_tree_walker((Node *)query->targetList, check_types, NULL);
        if (announced.checks_tables)
            (void)check_tables((Node *)query, NULL);
    }
    return next_planner ? next_planner(query, sql, options, parameters)
                        : standard_planner(query, sql, options, parameters);
}

/* TRUNCATE is not planned. The table is locked by now, and none of its triggers has run. Those of
 * the caller's own may truncate only such tables as this would. */
static void access_object(ObjectAccessType access, Oid class, Oid object, int part, void *more)
{
    if (access == OAT_TRUNCATE && class == RelationRelationId && announced.sql &&
        announced.checks_tables)
        check_table(object);
    if (next_access)
        next_access(access, class, object, part, more);
}

void own_sql_install(void)
{
    next_planner = planner_hook;
    planner_hook = plan;
    next_access = object_access_hook;
    object_access_hook = access_object;
}
