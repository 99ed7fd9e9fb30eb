/*
 * totrain.forget(relation, which, version), totrain.lock_model(schema, name) and
 * totrain.hold_model(schema, name): what publishing a model does beside its table, for roles that
 * may write the table, and for no others. Of older versions so many stay; 0: as many as
 * totrain.kept_versions says.
 *
 * A right to DELETE or UPDATE on the tables of kept rows would be a right to LOCK them, and every
 * DROP TABLE would wait; an advisory lock on a model's name could be held by any role.
 */
#include "extension/postgres/server/session/compat.h"

#include <access/xact.h>
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

#include "extension/postgres/server/session/own_sql.h"
#include "extension/postgres/server/session/settings.h"

SQL_FUNCTION(totrain_sql_forget);
SQL_FUNCTION(totrain_sql_lock_model);
SQL_FUNCTION(totrain_sql_hold_model);

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

/* Deletes as the owner of the kept rows, and without running foreign code: the tables have no
 * triggers. */
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
    const char *which = text_to_cstring(PG_GETARG_TEXT_PP(1)), *sql = sql_of(which);
    int64 version = PG_GETARG_INT64(2);

    check_owner(PG_GETARG_OID(0));
    if (version == 0 && strcmp(which, "older versions") == 0)
        version = settings.kept_versions;
    delete_rows(sql, PG_GETARG_OID(0), version);
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

/* The class is the schema's OID: names of different schemas never meet, and names of one schema
 * whose hashes are the same meet for those alone who may create in it. No statement of SQL can take
 * such a lock: no catalog has the OID of a schema, and PostgreSQL's own have no part 1. */
static LOCKTAG tag_of(Oid schema, const char *name)
{
    LOCKTAG tag;

    SET_LOCKTAG_OBJECT(tag, MyDatabaseId, schema,
                       hash_bytes((const unsigned char *)name, (int)strlen(name)), 1);
    return tag;
}

/* The name that this session holds from one transaction to the next. */
static struct {
    bool is_held, is_watched;
    LOCKTAG tag;
} held;

static void let_go(void)
{
    if (!held.is_held)
        return;
    held.is_held = false;
    (void)LockRelease(&held.tag, ExclusiveLock, true);
}

/* A session that holds a name goes on to lock_model, or ends with an error. */
static void at_end_of_transaction(XactEvent event, void *unused)
{
    if (event == XACT_EVENT_ABORT || event == XACT_EVENT_PREPARE)
        let_go();
}

static void hold(const LOCKTAG *tag)
{
    if (held.is_held && memcmp(tag, &held.tag, sizeof *tag) == 0)
        return;
    let_go();
    if (!held.is_watched)
        RegisterXactCallback(at_end_of_transaction, NULL);
    held.is_watched = true;
    (void)LockAcquire(tag, ExclusiveLock, true, false);
    held.tag = *tag;
    held.is_held = true;
}

/* False: no other session sees the name. */
static bool find_tag(FunctionCallInfo fcinfo, LOCKTAG *tag)
{
    const char *schema_name = text_to_cstring(PG_GETARG_TEXT_PP(0));
    const char *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
    const Oid schema = LookupExplicitNamespace(schema_name, true);

    if (!OidIsValid(schema) || isTempNamespace(schema))
        return false;
    check_may_write(schema, name);
    *tag = tag_of(schema, name);
    return true;
}

/* Until the transaction ends, also where the session held the name. */
Datum totrain_sql_lock_model(PG_FUNCTION_ARGS)
{
    LOCKTAG tag;

    if (find_tag(fcinfo, &tag))
        (void)LockAcquire(&tag, ExclusiveLock, false, false);
    let_go();
    PG_RETURN_BOOL(true);
}

/* Until lock_model, an error, or the session's end. One name: another one is let go of. */
Datum totrain_sql_hold_model(PG_FUNCTION_ARGS)
{
    LOCKTAG tag;

    if (find_tag(fcinfo, &tag))
        hold(&tag);
    PG_RETURN_BOOL(true);
}
