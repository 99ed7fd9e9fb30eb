#include "extension/postgres/sql/replace.h"

#include <stdio.h>
#include <string.h>

#include "extension/engine/host/stored.h"
#include "extension/postgres/sql/foreign_code.h"
#include "extension/postgres/sql/models.h"
#include "extension/postgres/sql/replace_in_place.h"
#include "extension/postgres/sql/sql.h"
#include "extension/postgres/sql/tables.h"
#include "extension/sql/models.h"
#include "extension/sql/sql.h"
#include "planner/plan/plan.h"

#define FACTS_ARENA_MAX   ((size_t)1 << 20)
#define KEPT_ARENA_MAX    ((size_t)64 << 20) /* GRANTs and comments of one table */
#define LOCK_ATTEMPTS_MAX 100

#define CLASS_IS_TABLES " OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "

/* ----- the mark ----- */

/* Before and behind the number of columns. */
#define MARK_END " columns"

static const char *mark_start(enum target_kind kind)
{
    switch (kind) {
    case TARGET_PREDICTIONS:
        return "written by TO PREDICT of ToTrain into ";
    case TARGET_METRICS:
        return "written by EVALUATE of ToTrain into ";
    default:
        return ""; /* known by its columns */
    }
}

/* ----- may it be replaced? ----- */

enum fact {
    FACT_IS_MARKED,
    FACT_HOLDS_BAD_ROWS,
    FACT_HAS_POLICIES,
    FACT_IS_INHERITED,
    FACT_KEEPS_OWNER,
    FACTS
};

static enum status read_facts(struct sql_host *host, const struct sql_located *located,
                              const struct table_target *target, bool facts[FACTS],
                              struct error *err)
{
    const struct cell parameters[] = {cell_integer(located->relation),
                                      cell_string(mark_start(target->kind))};
    struct cell cells[FACTS];
    bool found;

    TRY(sql_first_of(
        host,
        "SELECT $2" NE "'' AND coalesce(pg_catalog.strpos(d.description, pg_catalog.concat($2, "
        "c.relnatts, '" MARK_END "')) OPERATOR(pg_catalog.>) 0, false), "
        "coalesce((SELECT a.attname" EQ "'" QUARANTINE_REASON "' FROM pg_catalog.pg_attribute a "
        "WHERE a.attrelid" EQ "c.oid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped "
        "ORDER BY a.attnum DESC LIMIT 1), false), "
        "c.relrowsecurity OR EXISTS (SELECT FROM pg_catalog.pg_policy p WHERE p.polrelid" EQ
        "c.oid), "
        "c.relispartition OR EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid" EQ
        "c.oid OR i.inhparent" EQ "c.oid), "
        "r.oid" EQ "c.relowner OR r.rolsuper OR "
        "pg_catalog.has_schema_privilege(c.relowner, c.relnamespace, 'CREATE') "
        "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_roles r ON r.rolname" EQ "current_user "
        "LEFT JOIN pg_catalog.pg_description d ON d.objoid" EQ
        "c.oid AND d.classoid" CLASS_IS_TABLES "AND d.objsubid" EQ "0 WHERE c.oid" EQ
        "$1::pg_catalog.oid",
        NULL, parameters, 2, NULL, cells, FACTS, &found, err));
    for (int i = 0; i < FACTS; i++)
        facts[i] = found && cell_is_true(&cells[i]);
    return STATUS_OK;
}

/* Functions of a parent's bounds, or of a child's triggers, would be run with the rows. */
static enum status check_family(const struct sql_located *located, const bool facts[FACTS],
                                struct error *err)
{
    if (!facts[FACT_IS_INHERITED])
        return STATUS_OK;
    fail(err, STATUS_INVALID, "table %s.%s is a part of another table, or has parts",
         LOCATED_NAME(located));
    return error_hint(err, "Choose another name.");
}

/* A new table would show rows that the old one hides, or take rows away from another one. */
static enum status check_whole(const struct sql_located *located, const bool facts[FACTS],
                               struct error *err)
{
    if (facts[FACT_HAS_POLICIES]) {
        fail(err, STATUS_INVALID,
             "table %s.%s has row-level security, which a new table would not have",
             LOCATED_NAME(located));
        return sql_hint(err,
                        "Choose another name, or drop its policies and ALTER TABLE @ DISABLE ROW "
                        "LEVEL SECURITY;",
                        &(struct sql_table){slice_of(located->schema), slice_of(located->name)});
    }
    TRY(check_family(located, facts, err));
    if (!facts[FACT_KEEPS_OWNER])
        return fail(err, STATUS_PERMISSION,
                    "the owner of table %s.%s may not create tables in that schema",
                    LOCATED_NAME(located)),
               error_hint(err, "A new table is to have the same owner.");
    return STATUS_OK;
}

/* A superuser and a member of the owner's role may act as the owner, but the triggers and
 * constraints of the table would run with their own rights. */
static enum status check_owner(struct sql_host *host, const struct sql_located *located,
                               enum target_kind kind, struct error *err)
{
    if (located->is_callers)
        return refuse_foreign_code(host, located, err);
    fail(err, STATUS_PERMISSION, "%s %s.%s belongs to another role",
         kind == TARGET_MODEL ? "model" : "definition", LOCATED_NAME(located));
    return error_hint(err, "Only its owner replaces it: SET ROLE to the owner first.");
}

enum status postgres_check_replaced(struct sql_host *host, const struct sql_located *located,
                                    const struct table_target *target, struct error *err)
{
    struct table_target here = *target;
    struct found_table found = {.is_table = located->is_table};
    bool facts[FACTS] = {false};
    const bool keeps_table = target->kind == TARGET_MODEL || target->kind == TARGET_DEFINITION;
    char shown[SHOWN_NAME_BYTES];

    if (!located->exists)
        return STATUS_OK;
    here.name =
        sql_shown_name(host, &(struct sql_table){target->schema, slice_of(located->name)}, shown);
    if (keeps_table && located->is_table && located->has_columns)
        TRY(check_owner(host, located, target->kind, err));
    if (found.is_table) {
        TRY(sql_is_model(host, located, &found.is_model, err));
        TRY(read_facts(host, located, target, facts, err));
        found.is_marked = facts[FACT_IS_MARKED];
        found.holds_bad_rows = facts[FACT_HOLDS_BAD_ROWS];
    }
    TRY(check_replaced(&here, &found, err));
    return keeps_table ? check_family(located, facts, err) : check_whole(located, facts, err);
}

/* ----- what the new table keeps ----- */

struct statements {
    struct arena arena;
    struct slice *items;
    size_t count, capacity;
};

static enum status keep_statement(void *self, const struct cell *cells, size_t count,
                                  struct error *err)
{
    struct statements *statements = self;

    (void)count;
    if (statements->count == statements->capacity) {
        size_t capacity = statements->capacity ? 2 * statements->capacity : 16;
        struct slice *more = ARENA_NEW(&statements->arena, struct slice, capacity);
        if (!more)
            return fail_no_memory(err);
        if (statements->count > 0)
            memcpy(more, statements->items, statements->count * sizeof *more);
        statements->items = more;
        statements->capacity = capacity;
    }
    statements->items[statements->count] = arena_copy(&statements->arena, cells[0].text);
    if (!statements->items[statements->count].data)
        return fail_no_memory(err);
    statements->count++;
    return STATUS_OK;
}

#define GRANTEE(acl)                                                                               \
    "CASE WHEN " acl ".grantee" EQ "0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident("                  \
    "pg_catalog.pg_get_userbyid(" acl ".grantee)) END"
#define WITH_GRANT(acl) "CASE WHEN " acl ".is_grantable THEN ' WITH GRANT OPTION' ELSE '' END"

/*
 * The statements that make a new table, of OID $2, be to others what the old one, $1, was: once
 * it has the old one's name, $3. Where both are the same one it has got new rows, and its comment
 * says which job made them. A grant that ALTER DEFAULT PRIVILEGES has just given to the
 * new one may have been taken back from the old one. $4 and $5: the mark's beginning, and the
 * comment of a table that has none.
 * $6: the mark of the job that made the new one (host_marks), in the place of an older one's.
 */
/* clang-format off */
static const char keeping[] =
    "SELECT s.statement FROM ("

    "SELECT 1 AS step, pg_catalog.format('ALTER TABLE %s OWNER TO %I', $3, "
        "pg_catalog.pg_get_userbyid(o.relowner)) AS statement "
    "FROM pg_catalog.pg_class o, pg_catalog.pg_class n "
    "WHERE o.oid" EQ "$1::pg_catalog.oid AND n.oid" EQ "$2::pg_catalog.oid "
        "AND o.relowner" NE "n.relowner "

    "UNION ALL SELECT DISTINCT 2, pg_catalog.format('REVOKE ALL ON TABLE %s FROM %s CASCADE', "
        "$3, " GRANTEE("x") ") "
    "FROM pg_catalog.pg_class n, pg_catalog.pg_class o, pg_catalog.aclexplode(n.relacl) x "
    "WHERE n.oid" EQ "$2::pg_catalog.oid AND o.oid" EQ "$1::pg_catalog.oid "
        "AND x.grantee" NE "n.relowner AND x.grantee" NE "o.relowner "

    "UNION ALL SELECT 3, pg_catalog.format('GRANT %s ON TABLE %s TO %s%s', "
        "x.privilege_type, $3, " GRANTEE("x") ", " WITH_GRANT("x") ") "
    "FROM pg_catalog.pg_class o, pg_catalog.aclexplode(o.relacl) x "
    "WHERE o.oid" EQ "$1::pg_catalog.oid AND x.grantee" NE "o.relowner "

    "UNION ALL SELECT 4, pg_catalog.format('GRANT %s (%I) ON TABLE %s TO %s%s', "
        "x.privilege_type, a.attname, $3, " GRANTEE("x") ", " WITH_GRANT("x") ") "
    "FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_attribute b "
        "ON b.attrelid" EQ "$2::pg_catalog.oid AND b.attname" EQ "a.attname "
        "AND b.attnum OPERATOR(pg_catalog.>) 0, pg_catalog.aclexplode(a.attacl) x "
    "WHERE a.attrelid" EQ "$1::pg_catalog.oid AND a.attnum OPERATOR(pg_catalog.>) 0 "
        "AND NOT a.attisdropped "

    "UNION ALL SELECT 5, pg_catalog.format('COMMENT ON COLUMN %s.%I IS %L', "
        "$3, a.attname, d.description) "
    "FROM pg_catalog.pg_description d JOIN pg_catalog.pg_attribute a "
        "ON a.attrelid" EQ "d.objoid AND a.attnum" EQ "d.objsubid "
    "JOIN pg_catalog.pg_attribute b "
        "ON b.attrelid" EQ "$2::pg_catalog.oid AND b.attname" EQ "a.attname "
    "WHERE d.objoid" EQ "$1::pg_catalog.oid AND d.classoid" CLASS_IS_TABLES
        "AND d.objsubid OPERATOR(pg_catalog.>) 0 "

    "UNION ALL SELECT 6, pg_catalog.format('COMMENT ON TABLE %s IS %L', $3, "
        "pg_catalog.concat(pg_catalog.regexp_replace(CASE "
        "WHEN d.description IS NULL THEN pg_catalog.format($5, n.relnatts) "
        "WHEN pg_catalog.strpos(d.description, $4) OPERATOR(pg_catalog.>) 0 "
        "THEN pg_catalog.regexp_replace(d.description, "
            "pg_catalog.concat($4, '[0-9]+" MARK_END "'), "
            "pg_catalog.concat($4, n.relnatts, '" MARK_END "')) "
        "ELSE pg_catalog.concat(d.description, pg_catalog.chr(10), "
            "pg_catalog.format($5, n.relnatts)) END, "
        "E'\\ntotrain job [0-9]+ of [-:TZ0-9]+', ''), "
        "CASE WHEN $6" NE "'' THEN pg_catalog.concat(pg_catalog.chr(10), $6) END)) "
    "FROM pg_catalog.pg_class n LEFT JOIN pg_catalog.pg_description d "
        "ON d.objoid" EQ "$1::pg_catalog.oid AND d.classoid" CLASS_IS_TABLES "AND d.objsubid" EQ "0 "
    "WHERE n.oid" EQ "$2::pg_catalog.oid AND $4" NE "'') s "
    "WHERE s.step" EQ "6 OR $1::pg_catalog.oid" NE "$2::pg_catalog.oid "

    "ORDER BY s.step";
/* clang-format on */

static const char *new_comment(enum target_kind kind)
{
    switch (kind) {
    case TARGET_PREDICTIONS:
        return "Predictions, written by TO PREDICT of ToTrain into %s" MARK_END
               "; the next TO PREDICT into this table replaces it.";
    case TARGET_METRICS:
        return "Metrics, written by EVALUATE of ToTrain into %s" MARK_END
               "; the next EVALUATE into this table replaces it.";
    default:
        return "";
    }
}

static enum status list_statements(struct sql_host *host, const struct table_target *target,
                                   int64_t old, int64_t new, struct statements *statements,
                                   struct error *err)
{
    const struct sql_table table = {target->schema, target->name};
    struct database_rows rows = {.self = statements, .row = keep_statement};
    enum status status;
    struct text name;

    text_init(&name, TEXT_MAXIMUM);
    sql_append(&name, "@", &table);
    if (name.failed) {
        status = fail_no_memory(err);
    } else {
        const struct cell parameters[] = {cell_integer(old),
                                          cell_integer(new),
                                          cell_text(text_slice(&name)),
                                          cell_string(mark_start(target->kind)),
                                          cell_string(new_comment(target->kind)),
                                          cell_text(target->mark)};

        status = sql_each(host, keeping, NULL, parameters, 6, &rows, err);
    }
    text_deinit(&name);
    return status;
}

static enum status run_statements(struct sql_host *host, const struct statements *statements,
                                  struct error *err)
{
    for (size_t i = 0; i < statements->count; i++) {
        enum status status;
        struct text sql;

        text_init(&sql, TEXT_MAXIMUM);
        text_append(&sql, statements->items[i]);
        status = sql_run_text(host, &sql, NULL, 0, NULL, err);
        text_deinit(&sql);
        TRY(status);
    }
    return STATUS_OK;
}

bool postgres_has_mark(void *self, struct slice schema, struct slice table, struct slice mark)
{
    struct sql_located located;
    struct cell parameters[2];
    struct error ignored;
    int64_t has = 0;

    if (postgres_locate(self, &(struct sql_table){schema, table}, &located, &ignored) !=
            STATUS_OK ||
        !located.exists)
        return false;
    parameters[0] = cell_integer(located.relation);
    parameters[1] = cell_text(mark);
    return sql_integer(self,
                       "SELECT pg_catalog.strpos(d.description, $2) FROM "
                       "pg_catalog.pg_description d WHERE d.classoid" CLASS_IS_TABLES
                       "AND d.objoid" EQ "$1::pg_catalog.oid AND d.objsubid" EQ "0",
                       NULL, parameters, 2, &has, &ignored) == STATUS_OK &&
           has > 0;
}

/* ----- replacing ----- */

/* The table that the name leads to is locked, and it is one that may be replaced: another session
 * may have put another one there since the statement began. */
static enum status lock_old(struct sql_host *host, const struct table_target *target,
                            struct sql_located *located, struct error *err)
{
    const struct sql_table table = {target->schema, target->name};
    int64_t locked = 0;

    for (int i = 0; i < LOCK_ATTEMPTS_MAX; i++) {
        TRY(postgres_locate(host, &table, located, err));
        TRY(postgres_check_replaced(host, located, target, err));
        if (!located->exists || located->relation == locked)
            return STATUS_OK;
        TRY(sql_run(host, "LOCK TABLE @ IN ACCESS EXCLUSIVE MODE", &table, NULL, 0, NULL, err));
        locked = located->relation;
    }
    return fail(err, STATUS_BUSY, "table %s.%s is replaced by others again and again",
                SQL_NAME(target->schema), SQL_NAME(target->name));
}

/* Under another name first: the query may read the table that it replaces. Where the extension is
 * not there, or is not the caller's to use, it is another name each time. */
static enum status new_name(struct sql_host *host, const struct table_target *target, char name[64],
                            struct error *err)
{
    static const char may_ask[] =
        "SELECT " EXTENSION_IS_THERE " AND "
        "pg_catalog.has_schema_privilege(pg_catalog.to_regnamespace('totrain')::pg_catalog.oid, "
        "'USAGE') AND pg_catalog.has_function_privilege(pg_catalog.to_regprocedure("
        "'totrain.new_name(pg_catalog.text, pg_catalog.text)')::pg_catalog.oid, 'EXECUTE'), "
        "pg_catalog.concat('totrain_new_', pg_catalog.replace(pg_catalog.gen_random_uuid()"
        "::pg_catalog.text, '-', ''))";
    const struct cell names[] = {cell_text(target->schema), cell_text(target->name)};
    struct cell cells[2] = {{.type = CELL_NULL}};
    struct arena arena;
    enum status status;
    bool found = false;

    arena_init(&arena, FACTS_ARENA_MAX);
    status = sql_first(host, may_ask, NULL, 0, &arena, cells, 2, &found, err);
    if (status == STATUS_OK && found && cell_is_true(&cells[0]))
        status = sql_first(host, "SELECT NULL, totrain.new_name($1, $2)", names, 2, &arena, cells,
                           2, &found, err);
    if (status == STATUS_OK && found && cells[1].type == CELL_TEXT)
        slice_copy(cells[1].text, name, 64);
    arena_deinit(&arena);
    return status;
}

/* UNLOGGED, and in a tablespace, as the old one is: a table that is replaced each night stays out
 * of the log, and on its disk. A temporary one is where the session has such tables. One whose rows
 * go on into a published one, or which is to be published, is out of the log, too, where no
 * subscriber sees it. */
static enum status keep_storage(struct sql_host *host, struct sql_new_table *new,
                                const struct table_target *target, struct error *err)
{
    struct pg_published published;
    struct sql_located old;
    struct cell key, cells[2] = {{.type = CELL_NULL}};
    struct arena arena;
    enum status status;
    bool found = false;

    TRY(postgres_locate(host, &(struct sql_table){target->schema, target->name}, &old, err));
    if (!old.exists) {
        TRY(postgres_find_schema_published(host, target->schema, &published, err));
        new->is_staged = published.is_published;
    }
    if (!old.exists || !old.is_table)
        return STATUS_OK;
    key = cell_integer(old.relation);
    arena_init(&arena, FACTS_ARENA_MAX);
    status = sql_first(host,
                       "SELECT c.relpersistence" EQ "'u', (SELECT s.spcname FROM "
                       "pg_catalog.pg_tablespace s WHERE s.oid" EQ
                       "c.reltablespace) FROM pg_catalog.pg_class c WHERE c.oid" EQ
                       "$1::pg_catalog.oid AND c.relpersistence" NE "'t'",
                       &key, 1, &arena, cells, 2, &found, err);
    if (found && cells[0].type == CELL_INTEGER)
        new->is_unlogged = cell_is_true(&cells[0]);
    if (status == STATUS_OK && found && cells[1].type == CELL_TEXT)
        slice_copy(cells[1].text, new->tablespace, sizeof new->tablespace);
    arena_deinit(&arena);
    TRY(status);
    TRY(postgres_find_published(host, &old, &published, err));
    new->is_staged = published.stays;
    return STATUS_OK;
}

static void append_new_table(struct text *sql, const struct sql_new_table *new, const char *columns)
{
    sql_append(sql,
               new->is_unlogged || new->is_staged ? "CREATE UNLOGGED TABLE @" : "CREATE TABLE @",
               &new->table);
    text_append_string(sql, columns);
    if (!new->tablespace[0])
        return;
    text_append_string(sql, " TABLESPACE ");
    text_append_identifier(sql, slice_of(new->tablespace));
}

/* The new table is in no publication that names the old one, and who subscribes to all tables has
 * no such columns. */
static void tell_publications(const struct table_target *target,
                              const struct pg_published *published)
{
    const char *names = published->publications;

    if (!target->sink || !published->is_published)
        return;
    if (names[0])
        sink_notice(target->sink,
                    "table %s.%s is a new one, since other columns, triggers, rules or types of "
                    "others are on the old one; it is not published by %s until ALTER PUBLICATION "
                    "... ADD TABLE",
                    SQL_NAME(target->schema), SQL_NAME(target->name), names);
    else
        sink_notice(
            target->sink,
            "table %s.%s is a new one, since other columns, triggers, rules or types of "
            "others are on the old one; a subscriber gets no rows of it before it is written again",
            SQL_NAME(target->schema), SQL_NAME(target->name));
}

/* It is the first of its name, and its rows came by no INSERT that a subscriber could see. */
static enum status tell_first(struct sql_host *host, const struct table_target *target,
                              struct error *err)
{
    struct pg_published published;

    TRY(postgres_find_schema_published(host, target->schema, &published, err));
    if (target->sink && published.is_published)
        sink_notice(target->sink,
                    "table %s.%s is new and published by %s: a subscriber gets its rows once it "
                    "has such a table, from ALTER SUBSCRIPTION ... REFRESH PUBLICATION on",
                    SQL_NAME(target->schema), SQL_NAME(target->name), published.publications);
    return STATUS_OK;
}

/* In the place of the old one, which is locked. */
static enum status put_in_place(struct sql_host *host, const struct table_target *target,
                                const struct sql_new_table *new, bool has_old, struct error *err)
{
    const struct sql_table table = {target->schema, target->name};

    if (has_old)
        TRY(sql_run(host, "DROP TABLE @", &table, NULL, 0, NULL, err));
    if (new->is_staged)
        TRY(sql_run(host, "ALTER TABLE @ SET LOGGED", &new->table, NULL, 0, NULL, err));
    return sql_rename(host, &new->table, target->name, err);
}

static enum status swap(struct sql_host *host, const struct table_target *target,
                        const struct sql_new_table *new, struct statements *statements,
                        struct error *err)
{
    const struct sql_table table = {target->schema, target->name};
    struct pg_published published = {.is_published = false};
    struct sql_located old, made;
    bool stays = false;

    TRY(lock_old(host, target, &old, err));
    TRY(postgres_locate(host, &new->table, &made, err));
    if (old.exists)
        TRY(postgres_find_published(host, &old, &published, err));
    if (new->is_staged && published.stays)
        TRY(postgres_has_same_columns(host, old.relation, made.relation, &stays, err));
    TRY(list_statements(host, target, old.exists ? old.relation : 0,
                        stays ? old.relation : made.relation, statements, err));
    if (stays) {
        TRY(postgres_move_rows(host, &new->table, &table, err));
    } else {
        TRY(put_in_place(host, target, new, old.exists, err));
        tell_publications(target, &published);
    }
    if (!old.exists && new->is_staged)
        TRY(tell_first(host, target, err));
    return run_statements(host, statements, err);
}

enum status postgres_replace(struct sql_host *host, const struct table_target *target,
                             sql_maker *make, void *context, struct error *err)
{
    struct statements statements = {.count = 0};
    struct table_target here = *target;
    struct sql_new_table new = {.target = target};
    char name[64] = "", buffer[SQL_NAME_BYTES];
    enum status status;

    TRY(postgres_target_schema(host, &here.schema, buffer, err));
    TRY(new_name(host, &here, name, err));
    new.table = (struct sql_table){here.schema, slice_of(name)};
    TRY(keep_storage(host, &new, &here, err));
    TRY(make(host, &new, context, err));
    arena_init(&statements.arena, KEPT_ARENA_MAX);
    status = swap(host, &here, &new, &statements, err);
    arena_deinit(&statements.arena);
    return status;
}

enum status postgres_create(struct sql_host *host, const struct sql_new_table *new,
                            const char *columns, struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    append_new_table(&sql, new, columns);
    status = sql_run_text(host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    return status;
}

static enum status make_from_select(struct sql_host *host, const struct sql_new_table *new,
                                    void *context, struct error *err)
{
    struct fill *fill = context;
    enum status status;
    struct text create;

    text_init(&create, TEXT_MAXIMUM);
    append_new_table(&create, new, "");
    status = postgres_create_as(host, &create, fill->select, &fill->rows, err);
    text_deinit(&create);
    return status;
}

/* The server finds the columns' types itself, domains and enums among them. */
enum status postgres_replace_by_select(struct sql_host *host, struct fill *fill, bool is_staged,
                                       struct error *err)
{
    (void)is_staged; /* the new table has another name first */
    return postgres_replace(host, &fill->target, make_from_select, fill, err);
}

/* A temporary table whose name is our own. IF EXISTS would cause a NOTICE where it does
 * not exist. */
enum status postgres_drop_kept(struct sql_host *host, const struct sql_table *table,
                               struct error *err)
{
    const struct table_target target = {.schema = table->schema,
                                        .name = table->name,
                                        .kind = TARGET_PREDICTIONS,
                                        .replaces_any = true};
    struct sql_located located;

    TRY(postgres_locate(host, table, &located, err));
    if (!located.exists)
        return STATUS_OK;
    TRY(postgres_check_replaced(host, &located, &target, err));
    return sql_run(host, "DROP TABLE @", table, NULL, 0, NULL, err);
}
