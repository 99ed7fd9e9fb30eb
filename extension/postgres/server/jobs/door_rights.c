#include "extension/postgres/server/jobs/door_rights.h"

#include <catalog/namespace.h>
#include <catalog/pg_proc.h>
#include <catalog/pg_type.h>
#include <commands/extension.h>
#include <utils/acl.h>
#include <utils/syscache.h>

static bool may_execute(Oid function)
{
#if PG_VERSION_NUM >= 160000
    return object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
#else
    return pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
#endif
}

/* Any role may own a schema of this name, whose functions must not be called. The extension is made
 * by a superuser, and with it its schema. */
static Oid schema_of_extension(void)
{
    return OidIsValid(get_extension_oid("totrain", true)) ? get_namespace_oid("totrain", true)
                                                          : InvalidOid;
}

/* A function of the extension that takes a text; InvalidOid: there is none. */
static Oid function_named(const char *name)
{
    const Oid schema = schema_of_extension();
    oidvector *arguments = buildoidvector((Oid[]){TEXTOID}, 1);

    if (!OidIsValid(schema))
        return InvalidOid;
    return GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
                           PointerGetDatum(arguments), ObjectIdGetDatum(schema));
}

static bool may_call(const char *name)
{
    const Oid function = function_named(name);

    return OidIsValid(function) && may_execute(function);
}

bool door_is_allowed(void)
{
    if (!OidIsValid(function_named("run")))
        return false;
    if (!may_call("run") && !may_call("rows") && !may_call("job_table"))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("permission denied to run statements of ToTrain"),
                        errhint("Ask an administrator for membership in the role totrain_user, or "
                                "in totrain_reader, which predicts, evaluates and lists.")));
    return true;
}

/* Its kind, and whether it writes nothing. False: it does not parse. */
static bool parse_kind(struct slice text, const struct piece *piece, enum statement_kind *kind,
                       bool *reads)
{
    struct arena arena;
    struct statement statement;
    struct error ignored;
    bool is_parsed;

    arena_init(&arena, ARENA_MAXIMUM);
    error_clear(&ignored);
    is_parsed = (piece ? parse_piece(text, piece, &arena, &statement, &ignored)
                       : parse_statement(text, &arena, &statement, &ignored)) == STATUS_OK;
    if (is_parsed) {
        *kind = statement.kind;
        *reads = statement_writes_nothing(&statement);
    }
    arena_deinit(&arena);
    return is_parsed;
}

void door_check_statement(struct door *door, struct slice text, const struct piece *piece)
{
    enum statement_kind kind;
    bool reads;

    if (may_call("run"))
        return;
    door->only_reads = true;
    door->host.host.catalog.limits.no_processes = true;
    if (!parse_kind(text, piece, &kind, &reads))
        return; /* it is refused, with its place, when it is run */
    if ((reads && may_call("rows")) || (kind == STATEMENT_SHOW_JOBS && may_call("job_table")))
        return;
    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("permission denied to run this statement of ToTrain"),
                    errhint("Members of totrain_reader run TO PREDICT, TO EVALUATE, TO EXPLAIN and "
                            "FORECAST without a table to write, and SHOW; those of totrain_monitor "
                            "and totrain_admin SHOW JOBS. Membership in totrain_user allows "
                            "all.")));
}

static bool is_granted(const char *name)
{
    const Oid role = get_role_oid(name, true);

    return OidIsValid(role) && is_member_of_role_nosuper(GetUserId(), role);
}

const char *door_monitors_query(struct slice text, const struct piece *piece)
{
    enum statement_kind kind;
    bool reads;

    if (!parse_kind(text, piece, &kind, &reads) || kind != STATEMENT_SHOW_JOBS)
        return NULL;
    if (!may_call("job_table") || (!is_granted("totrain_monitor") && !is_granted("totrain_admin")))
        return NULL;
    return "SELECT owner, id, state, model, started_at, seconds, statement, error FROM "
           "totrain.jobs "
           "ORDER BY started_at DESC";
}
