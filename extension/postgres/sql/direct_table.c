#include "extension/postgres/sql/direct_table.h"

#include "extension/engine/rows/direct_order.h"
#include "extension/engine/rows/plain_scan.h"
#include "extension/postgres/sql/sql.h"
#include "extension/sql/sql.h"

#define IN_TURN "Without job.read = 'direct' this session reads the rows of any SELECT."

/* The facts that are asked about the table of a name: one column each. */
enum fact {
    RELATION,
    QUOTED_NAME,
    QUOTED_SCHEMA,
    IS_TABLE,
    IS_TEMPORARY,
    HAS_POLICIES,
    HAS_CHILDREN,
    IS_PARTITIONED,
    CALLER_MAY_READ,
    LOGIN_IS_THERE,
    LOGIN_MAY_USE,
    LOGIN_MAY_READ,
    FACTS
};

static const char facts_sql[] =
    "SELECT c.oid, pg_catalog.format('%I.%I', n.nspname, c.relname), "
    "pg_catalog.quote_ident(n.nspname), c.relkind" EQ "ANY ('{r,p}'::pg_catalog.\"char\"[]), "
    "c.relpersistence" EQ "'t', c.relrowsecurity, c.relkind" EQ
    "'r' AND EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent" EQ "c.oid), "
    "c.relkind" EQ "'p', pg_catalog.has_table_privilege(c.oid, 'SELECT'), r.oid IS NOT NULL, "
    "pg_catalog.has_schema_privilege(r.oid, n.oid, 'USAGE'), "
    "pg_catalog.has_table_privilege(r.oid, c.oid, 'SELECT') "
    "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" EQ
    "c.relnamespace LEFT JOIN pg_catalog.pg_roles r ON r.rolname" EQ "$2::pg_catalog.name "
    "WHERE c.oid" EQ "pg_catalog.to_regclass($1)";

static enum status refuse(struct slice name, const char *why, struct error *err)
{
    fail(err, STATUS_UNSUPPORTED, "job.read = 'direct' cannot read %.*s: %s", SLICE_FORMAT(name),
         why);
    return error_hint(err, IN_TURN);
}

static enum status check_kind(const struct cell facts[FACTS], struct error *err)
{
    const struct slice name = facts[QUOTED_NAME].text;

    if (!cell_is_true(&facts[IS_TABLE]))
        return refuse(name, "it is no table", err);
    if (cell_is_true(&facts[IS_TEMPORARY]))
        return refuse(name, "a temporary table is there for this session alone", err);
    if (cell_is_true(&facts[HAS_POLICIES]))
        return refuse(name, "it has row security, which is another for each role", err);
    if (cell_is_true(&facts[HAS_CHILDREN]))
        return refuse(name, "other tables inherit from it", err);
    return STATUS_OK;
}

/* The caller's right to some columns alone is none that a worker could look for. */
static enum status check_rights(const struct sql_host *host, const struct cell facts[FACTS],
                                struct error *err)
{
    const struct slice name = facts[QUOTED_NAME].text, schema = facts[QUOTED_SCHEMA].text;

    if (!cell_is_true(&facts[CALLER_MAY_READ]))
        return fail(err, STATUS_PERMISSION,
                    "job.read = 'direct' takes the right to SELECT from all columns of %.*s",
                    SLICE_FORMAT(name));
    if (!cell_is_true(&facts[LOGIN_IS_THERE]))
        return fail(err, STATUS_UNSUPPORTED, "no login is named for the processes of jobs"),
               error_hint(err, "totrain.job_login in postgresql.conf names it.");
    if (cell_is_true(&facts[LOGIN_MAY_USE]) && cell_is_true(&facts[LOGIN_MAY_READ]))
        return STATUS_OK;
    fail(err, STATUS_PERMISSION, "role \"%s\", the login of the job's processes, may not read %.*s",
         host->job_login, SLICE_FORMAT(name));
    if (!cell_is_true(&facts[LOGIN_MAY_USE]))
        return error_hint(err, "GRANT USAGE ON SCHEMA %.*s TO %s; GRANT SELECT ON %.*s TO %s;",
                          SLICE_FORMAT(schema), SQL_NAME(slice_of(host->job_login)),
                          SLICE_FORMAT(name), SQL_NAME(slice_of(host->job_login)));
    return error_hint(err, "GRANT SELECT ON %.*s TO %s; lets the processes of all jobs read it.",
                      SLICE_FORMAT(name), SQL_NAME(slice_of(host->job_login)));
}

/* ----- columns ----- */

/* A reserved word of SQL names a column only in quotes, and the quotes are not known here. Without
 * them current_user would be another role in another session. */
static enum status check_column(struct sql_host *host, const struct direct_table *table,
                                struct slice column, bool is_listed, struct error *err)
{
    const struct cell parameters[] = {cell_integer(table->relation), cell_text(column)};
    struct cell is_word = {.type = CELL_NULL};
    struct arena arena;
    enum status status;
    bool found;

    arena_init(&arena, 1 << 16);
    status = sql_first(host,
                       "SELECT EXISTS (SELECT FROM pg_catalog.pg_get_keywords() k WHERE k.word" EQ
                       "a.attname::pg_catalog.text AND k.catcode" EQ
                       "ANY ('{R,T}'::pg_catalog.\"char\"[])) FROM pg_catalog.pg_attribute a "
                       "WHERE a.attrelid" EQ "$1::pg_catalog.oid AND a.attname" EQ
                       "$2::pg_catalog.name AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT "
                       "a.attisdropped",
                       parameters, 2, &arena, &is_word, 1, &found, err);
    arena_deinit(&arena);
    TRY(status);
    if (found && !(is_listed && cell_is_true(&is_word)))
        return STATUS_OK;
    fail(err, STATUS_UNSUPPORTED, "job.read = 'direct' reads only columns, and \"%.*s\" is not one",
         SLICE_FORMAT(column));
    return error_hint(err, IN_TURN);
}

/* ----- leaves ----- */

/* The facts that are asked about each leaf: one column each. */
enum leaf_fact {
    LEAF,
    LEAF_IS_PLAIN,
    LEAF_IS_FOREIGN, /* a table of postgres_fdw */
    LEAF_PAGES,
    LEAF_NAME,
    LEAF_SERVER, /* a foreign leaf's */
    LEAF_CALLER_MAY_READ,
    LEAF_LOGIN_MAY_READ,
    LEAF_LOGIN_IS_KNOWN, /* on its server */
    LEAF_FACTS
};

static const char leaves_sql[] =
    "SELECT c.oid, c.relkind" EQ "'r' AND c.relpersistence" NE "'t' AND c.relam" EQ
    "2::pg_catalog.oid, p.proname IS NOT NULL, CASE WHEN c.relkind" EQ
    "'r' THEN pg_catalog.pg_relation_size(c.oid) OPERATOR(pg_catalog./) "
    "pg_catalog.current_setting('block_size')::pg_catalog.int8 ELSE 0::pg_catalog.int8 END, "
    "pg_catalog.format('%I.%I', n.nspname, c.relname), pg_catalog.quote_ident(s.srvname), "
    "pg_catalog.has_table_privilege(c.oid, 'SELECT'), "
    "pg_catalog.has_table_privilege(r.oid, c.oid, 'SELECT') AND "
    "pg_catalog.has_schema_privilege(r.oid, n.oid, 'USAGE'), "
    "EXISTS (SELECT FROM pg_catalog.pg_user_mappings m WHERE m.srvid" EQ "s.oid AND (m.umuser" EQ
    "r.oid OR m.umuser" EQ "0::pg_catalog.oid)) "
    "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" EQ "c.relnamespace "
    "LEFT JOIN pg_catalog.pg_roles r ON r.rolname" EQ "$2::pg_catalog.name "
    "LEFT JOIN pg_catalog.pg_foreign_table f ON f.ftrelid" EQ "c.oid "
    "LEFT JOIN pg_catalog.pg_foreign_server s ON s.oid" EQ "f.ftserver "
    "LEFT JOIN pg_catalog.pg_foreign_data_wrapper w ON w.oid" EQ "s.srvfdw "
    "LEFT JOIN pg_catalog.pg_proc p ON p.oid" EQ "w.fdwhandler AND p.proname" EQ
    "'postgres_fdw_handler'::pg_catalog.name WHERE c.oid" EQ "$1::pg_catalog.oid AND c.relkind" EQ
    "'r' OR c.oid" EQ "ANY (SELECT t.relid::pg_catalog.oid FROM pg_catalog.pg_partition_tree("
    "$1::pg_catalog.oid::pg_catalog.regclass) t WHERE t.isleaf AND t.level "
    "OPERATOR(pg_catalog.>) 0) ORDER BY c.oid";

struct leaves {
    const struct sql_host *host;
    struct direct_table *table;
    bool any_foreign;
    struct error unreadable; /* why a leaf cannot be read by its own name; OK: all can */
};

/* Where one leaf is foreign all are read by their own names. */
static void check_leaf(struct leaves *leaves, const struct cell facts[LEAF_FACTS])
{
    const char *login = leaves->host->job_login;
    const struct slice name = facts[LEAF_NAME].text, server = facts[LEAF_SERVER].text;
    struct error *err = &leaves->unreadable;

    if (err->status != STATUS_OK)
        return;
    if (!cell_is_true(&facts[LEAF_CALLER_MAY_READ])) {
        fail(err, STATUS_PERMISSION,
             "job.read = 'direct' reads %.*s by its own name, since a partition beside it is a "
             "foreign table, and you may not SELECT from it",
             SLICE_FORMAT(name));
    } else if (!cell_is_true(&facts[LEAF_LOGIN_MAY_READ])) {
        fail(err, STATUS_PERMISSION,
             "role \"%s\", the login of the job's processes, may not read %.*s", login,
             SLICE_FORMAT(name));
        error_hint(err,
                   "GRANT SELECT ON %.*s TO %s; where one partition is a foreign table each "
                   "is read by its own name.",
                   SLICE_FORMAT(name), SQL_NAME(slice_of(login)));
    } else if (cell_is_true(&facts[LEAF_IS_FOREIGN]) &&
               !cell_is_true(&facts[LEAF_LOGIN_IS_KNOWN])) {
        fail(err, STATUS_PERMISSION,
             "role \"%s\", the login of the job's processes, is not known to the server of %.*s",
             login, SLICE_FORMAT(name));
        error_hint(err,
                   "CREATE USER MAPPING FOR %s SERVER %.*s OPTIONS (user '...', password "
                   "'...');",
                   SQL_NAME(slice_of(login)), SLICE_FORMAT(server));
    }
}

static enum status add_leaf(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct leaves *leaves = self;
    struct direct_table *table = leaves->table;
    const bool is_foreign = cell_is_true(&cells[LEAF_IS_FOREIGN]);

    (void)count;
    if (table->leaf_count == DIRECT_LEAVES_MAX)
        return fail(err, STATUS_LIMIT, "%.*s has more than %d partitions",
                    SLICE_FORMAT(table->name), DIRECT_LEAVES_MAX);
    if (!is_foreign && !cell_is_true(&cells[LEAF_IS_PLAIN]))
        return refuse(cells[LEAF_NAME].text,
                      "it is a partition that is neither a plain table nor one of postgres_fdw",
                      err);
    leaves->any_foreign = leaves->any_foreign || is_foreign;
    check_leaf(leaves, cells);
    table->leaves[table->leaf_count++] =
        (struct direct_leaf){.relation = (uint32_t)cells[LEAF].integer,
                             .pages = (uint64_t)cells[LEAF_PAGES].integer,
                             .is_foreign = is_foreign};
    return STATUS_OK;
}

/* A table without partitions is its own leaf. */
static enum status find_leaves(struct sql_host *host, struct arena *arena,
                               struct direct_table *table, struct error *err)
{
    const struct cell keys[] = {cell_integer(table->relation), cell_string(host->job_login)};
    struct leaves leaves = {.host = host, .table = table};
    const struct database_rows rows = {.self = &leaves, .row = add_leaf};

    error_clear(&leaves.unreadable);
    table->leaf_count = 0;
    table->leaves = ARENA_NEW(arena, struct direct_leaf, DIRECT_LEAVES_MAX);
    if (!table->leaves)
        return fail_no_memory(err);
    TRY(sql_each(host, leaves_sql, NULL, keys, 2, &rows, err));
    if (!leaves.any_foreign || leaves.unreadable.status == STATUS_OK)
        return STATUS_OK;
    *err = leaves.unreadable;
    return err->status;
}

/* ----- the table of a SELECT ----- */

static enum status find(struct sql_host *host, const struct plain_scan *plain, struct arena *arena,
                        struct direct_table *table, struct error *err)
{
    const struct cell keys[] = {cell_text(slice_trim(plain->from)), cell_string(host->job_login)};
    struct cell facts[FACTS];
    bool found;

    TRY(sql_first(host, facts_sql, keys, 2, arena, facts, FACTS, &found, err));
    if (!found)
        return refuse(slice_trim(plain->from), "it is no table", err);
    TRY(check_kind(facts, err));
    TRY(check_rights(host, facts, err));
    *table = (struct direct_table){.name = facts[QUOTED_NAME].text,
                                   .relation = (uint32_t)facts[RELATION].integer};
    return find_leaves(host, arena, table, err);
}

enum status postgres_find_table(void *self, struct slice select, const struct slice *columns,
                                size_t count, struct arena *arena, struct direct_table *table,
                                struct error *err)
{
    struct sql_host *host = self;
    struct plain_scan plain;

    if (!plain_scan_recognise(select, &plain) || plain.renames) {
        fail(err, STATUS_UNSUPPORTED,
             "job.read = 'direct' reads columns of one table, and the SELECT is more");
        return error_hint(err, IN_TURN);
    }
    TRY(find(host, &plain, arena, table, err));
    for (size_t i = 0; i < count; i++)
        TRY(check_column(host, table, columns[i], !slice_is(slice_trim(plain.columns), "*"), err));
    return STATUS_OK;
}

/* ----- the lock ----- */

static bool has_same_leaves(const struct direct_table *a, const struct direct_table *b)
{
    if (a->leaf_count != b->leaf_count)
        return false;
    for (size_t i = 0; i < a->leaf_count; i++)
        if (a->leaves[i].relation != b->leaves[i].relation)
            return false;
    return true;
}

static enum status lock_table(struct sql_host *host, const struct direct_table *table,
                              struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "LOCK TABLE ");
    text_append(&sql, table->name);
    text_append_string(&sql, " IN ACCESS SHARE MODE");
    status = sql_run_text(host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    return status;
}

static enum status lock_and_compare(struct sql_host *host, const struct direct_table *table,
                                    struct arena *arena, struct error *err)
{
    struct direct_table again = *table;

    TRY(lock_table(host, table, err));
    TRY(find_leaves(host, arena, &again, err));
    if (has_same_leaves(table, &again))
        return STATUS_OK;
    fail(err, STATUS_BUSY, "the partitions of %.*s have changed meanwhile",
         SLICE_FORMAT(table->name));
    return error_hint(err, "Try again.");
}

enum status postgres_lock_tables(struct sql_host *host, const struct direct_order *order,
                                 struct error *err)
{
    enum status status = STATUS_OK;
    struct arena arena;

    arena_init(&arena, ARENA_MAXIMUM);
    for (size_t i = 0; i < order->count && status == STATUS_OK; i++)
        status = lock_and_compare(host, &order->rows[i].table, &arena, err);
    arena_deinit(&arena);
    return status;
}
