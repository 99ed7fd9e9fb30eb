/*
 * Answers to the planner about the scoring functions: they are PARALLEL SAFE, but for a model that
 * is a temporary table, which parallel workers cannot read. A query that names one is planned
 * without workers; a name that is known only when the query runs may be one's where the session has
 * temporary tables.
 */
#include "extension/postgres/server/session/session.h"

#include <catalog/namespace.h>
#include <catalog/pg_class.h>
#include <nodes/pathnodes.h>
#include <nodes/supportnodes.h>
#include <utils/lsyscache.h>

#include "codegen/model_path.h"
#include "extension/postgres/server/functions/explain_models.h"

SQL_FUNCTION(totrain_sql_plan_support);

static bool has_temporary_tables(void)
{
    Oid schema, toast;

    GetTempNamespaceState(&schema, &toast);
    return OidIsValid(schema);
}

static Oid find_relation(struct slice schema, struct slice name)
{
    const char *table = session_from_utf8(name);
    Oid in;

    if (schema.size == 0)
        return RelnameGetRelid(table);
    in = LookupNamespaceNoError(session_from_utf8(schema));
    return OidIsValid(in) ? get_relname_relid(table, in) : InvalidOid;
}

/* A text that is no name names no temporary table; the call reports the error. */
static bool is_temporary(const Const *name)
{
    const char *path = TextDatumGetCString(name->constvalue);
    struct slice schema, table;
    struct arena arena;
    struct error ignored;
    char *copies[2] = {NULL, NULL};
    Oid relation;

    arena_init(&arena, MODEL_PATH_BYTES_MAX * 16);
    if (model_path_read(session_to_utf8(path, strlen(path)), &arena, &schema, &table, &ignored) ==
            STATUS_OK &&
        schema.size < NAMEDATALEN && table.size < NAMEDATALEN) {
        copies[0] = MemoryContextAllocExtended(CurrentMemoryContext, schema.size + 1,
                                               MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO);
        copies[1] = MemoryContextAllocExtended(CurrentMemoryContext, table.size + 1,
                                               MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO);
        if (copies[0] && copies[1]) {
            memcpy(copies[0], schema.data ? schema.data : "", schema.size);
            memcpy(copies[1], table.data, table.size);
        }
    }
    arena_deinit(&arena); /* before anything can throw */
    if (!copies[0] || !copies[1])
        return false;
    relation = find_relation(slice_of(copies[0]), slice_of(copies[1]));
    return OidIsValid(relation) && get_rel_persistence(relation) == RELPERSISTENCE_TEMP;
}

static bool may_be_temporary(const Node *model)
{
    if (!has_temporary_tables())
        return false;
    if (!IsA(model, Const))
        return true;
    return !((const Const *)model)->constisnull && is_temporary((const Const *)model);
}

/* (internal): a request of the planner's. Nothing is simplified; the request is the one in which
 * the arguments are seen before the planner decides about workers. */
Datum totrain_sql_plan_support(PG_FUNCTION_ARGS)
{
    const Node *request = (const Node *)PG_GETARG_POINTER(0);

    if (IsA(request, SupportRequestSimplify)) {
        const SupportRequestSimplify *simplify = (const SupportRequestSimplify *)request;

        explain_models_expect();
        if (simplify->root && simplify->root->glob->parallelModeOK &&
            may_be_temporary(linitial(simplify->fcall->args)))
            simplify->root->glob->parallelModeOK = false;
    }
    PG_RETURN_POINTER(NULL);
}
