/*
 * totrain.forget(relation, which, version) and totrain.lock_model(schema, name): what publishing
 * a model does beside its table, for roles that may write the table, and for no others.
 *
 * A right to DELETE or UPDATE on the tables of kept rows would be a right to LOCK them, and every
 * DROP TABLE would wait; an advisory lock on a model's name could be held by any role.
 */
#include "extension/postgres/server/compat.h"

#include <catalog/namespace.h>
#include <catalog/pg_class.h>
#include <catalog/pg_namespace.h>
#include <catalog/pg_type.h>
#include <commands/extension.h>
#include <common/hashfn.h>
#include <executor/spi.h>
#include <storage/lock.h>
#include <utils/acl.h>
#include <utils/lsyscache.h>

#include "extension/postgres/server/own_sql.h"

SQL_FUNCTION(totrain_sql_forget);
SQL_FUNCTION(totrain_sql_lock_model);

static void check_owner(Oid relation)
{
    const Oid owner = relation_owner(relation);

    if (!OidIsValid(owner) || get_rel_relkind(relation) != RELKIND_RELATION ||
        !has_privs_of_role(GetUserId(), owner))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("must be owner of the model whose rows are to be forgotten")));
}

/* ----- forgetting ----- */

static const struct {
    const char *which, *sql;
} deletions[] = {
    {"model", "DELETE FROM totrain.kept_models WHERE relation OPERATOR(pg_catalog.=) $1"},
    {"version", "DELETE FROM totrain.kept_versions WHERE relation OPERATOR(pg_catalog.=) $1 AND "
                "version OPERATOR(pg_catalog.=) $2"},
    {"older versions",
     "DELETE FROM totrain.kept_versions WHERE relation OPERATOR(pg_catalog.=) $1 AND version "
     "OPERATOR(pg_catalog.<) (SELECT pg_catalog.min(kept.version) FROM (SELECT DISTINCT version "
     "FROM totrain.kept_versions WHERE relation OPERATOR(pg_catalog.=) $1 ORDER BY version DESC "
     "LIMIT $2) kept)"},
    {"older metrics",
     "DELETE FROM totrain.kept_metrics WHERE relation OPERATOR(pg_catalog.=) $1 AND version "
     "OPERATOR(pg_catalog.<) (SELECT pg_catalog.min(version) FROM totrain.kept_versions WHERE "
     "relation OPERATOR(pg_catalog.=) $1 AND $2 OPERATOR(pg_catalog.=) $2)"}};

static const char *sql_of(const char *which)
{
    for (size_t i = 0; i < lengthof(deletions); i++)
        if (strcmp(deletions[i].which, which) == 0)
            return deletions[i].sql;
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("\"%s\" is nothing that is kept of a model", which)));
}

/* As the owner of the kept rows, and without running foreign code: the tables have no triggers. */
static void delete_rows(const char *sql, Oid relation, int64 version)
{
    Oid types[] = {OIDOID, INT8OID}, user, keeper;
    Datum values[] = {ObjectIdGetDatum(relation), Int64GetDatum(version)};
    int security, result;

    keeper = relation_owner(get_relname_relid("kept_models", get_namespace_oid("totrain", false)));
    if (!OidIsValid(keeper))
        ereport(ERROR, (errmsg("the extension's tables are missing")));
    GetUserIdAndSecContext(&user, &security);
    SetUserIdAndSecContext(keeper,
                           security | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
    SPI_connect();
    result = SPI_execute_with_args(sql, 2, types, values, NULL, false, 0);
    SPI_finish();
    SetUserIdAndSecContext(user, security);
    if (result < 0)
        ereport(ERROR, (errmsg("forgetting failed: %s", SPI_result_code_string(result))));
}

Datum totrain_sql_forget(PG_FUNCTION_ARGS)
{
    const char *sql = sql_of(text_to_cstring(PG_GETARG_TEXT_PP(1)));

    check_owner(PG_GETARG_OID(0));
    delete_rows(sql, PG_GETARG_OID(0), PG_GETARG_INT64(2));
    PG_RETURN_BOOL(true);
}

/* ----- the lock on a name ----- */

static bool may_create_in(Oid schema)
{
#if PG_VERSION_NUM >= 160000
    return object_aclcheck(NamespaceRelationId, schema, GetUserId(), ACL_CREATE) == ACLCHECK_OK;
#else
    return pg_namespace_aclcheck(schema, GetUserId(), ACL_CREATE) == ACLCHECK_OK;
#endif
}

/* Only roles that could make or replace the name's table, and so make others wait anyway. */
static void check_may_write(Oid schema, const char *name)
{
    const Oid relation = get_relname_relid(name, schema);

    if (OidIsValid(relation) ? has_privs_of_role(GetUserId(), relation_owner(relation))
                             : may_create_in(schema))
        return;
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("permission denied to lock the name \"%s\"", name)));
}

/* Until the transaction ends. No statement of SQL can take a lock of this class: the OID of this
 * function is no catalog's. */
Datum totrain_sql_lock_model(PG_FUNCTION_ARGS)
{
    char *schema_name = text_to_cstring(PG_GETARG_TEXT_PP(0));
    char *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
    const Oid schema = LookupExplicitNamespace(schema_name, true);
    LOCKTAG tag;

    if (!OidIsValid(schema) || isTempNamespace(schema)) /* no other session sees it */
        PG_RETURN_BOOL(true);
    check_may_write(schema, name);
    SET_LOCKTAG_OBJECT(tag, MyDatabaseId, fcinfo->flinfo->fn_oid,
                       hash_combine(hash_bytes((unsigned char *)name, (int)strlen(name)), schema),
                       0);
    (void)LockAcquire(&tag, ExclusiveLock, false, false);
    PG_RETURN_BOOL(true);
}
