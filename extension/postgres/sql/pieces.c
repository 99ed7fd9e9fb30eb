#include "extension/postgres/sql/pieces.h"

#include <stdio.h>

#include "extension/postgres/sql/models.h"
#include "extension/postgres/sql/replace.h"
#include "extension/postgres/sql/sql.h"

#define FACTS_ARENA_MAX ((size_t)1 << 20)

/* The comment of the table, and how it goes on: only the owner of a table can put one there. */
#define COMMENT_START "ToTrain: rows of a model on their way into "
#define TO_NEW        COMMENT_START "a new table: "
#define TO_OLD        COMMENT_START "the table of another: "

#define CLASS_IS_TABLES " OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "

static enum status first(const struct pieces *pieces, const char *sql, const struct cell *keys,
                         size_t count, struct arena *arena, struct cell *cell, struct error *err)
{
    bool found;

    *cell = cell_null();
    return sql_first(pieces->host, sql, keys, count, arena, cell, 1, &found, err);
}

/* ----- what is there ----- */

static void read_comment(struct pieces *pieces, struct slice comment)
{
    const struct slice starts[] = {SLICE(TO_OLD), SLICE(TO_NEW)};
    int64_t next;

    for (int i = 0; i < 2; i++) {
        const struct slice start = starts[i];

        if (comment.size <= start.size || memcmp(comment.data, start.data, start.size) != 0 ||
            !slice_to_integer((struct slice){comment.data + start.size, comment.size - start.size},
                              &next) ||
            next < 1)
            continue;
        pieces->is_usable = true;
        pieces->is_renamed = i == 1;
        pieces->next = (uint64_t)next;
    }
}

/* The first thing of a kind on a table c by its name, and whether there are any. */
#define FIRST(what, catalog, name, relation)                                                       \
    "(SELECT pg_catalog.format('" what "', x." name ") FROM pg_catalog." catalog                   \
    " x WHERE x." relation EQ "c.oid ORDER BY x." name " LIMIT 1), "
#define ANY(catalog, relation)                                                                     \
    "EXISTS (SELECT FROM pg_catalog." catalog " x WHERE x." relation EQ "c.oid) "
#define A_CONSTRAINT FIRST("has constraint %I", "pg_constraint", "conname", "conrelid")
#define A_TRIGGER    FIRST("has trigger %I", "pg_trigger", "tgname", "tgrelid")
#define A_RULE       FIRST("has rule %I", "pg_rewrite", "rulename", "ev_class")
#define A_POLICY     FIRST("has policy %I", "pg_policy", "polname", "polrelid")
#define HAS_DEFAULT  ANY("pg_attrdef", "adrelid")
#define HAS_INDEX    ANY("pg_index", "indrelid")
#define HAS_PARENT   ANY("pg_inherits", "inhrelid")
#define HAS_CHILD    ANY("pg_inherits", "inhparent")

/* The table's comment, and whose it is or what is run with its rows; NULL: nothing is. Constraints
 * come before the triggers and indexes that they have. */
static const char facts_of_table[] =
    "SELECT d.description, COALESCE(CASE WHEN pg_catalog.pg_get_userbyid(c.relowner)" NE
    "current_user THEN pg_catalog.format('belongs to role %I', "
    "pg_catalog.pg_get_userbyid(c.relowner)) WHEN c.relkind" NE "'r' OR c.relpersistence" NE
    "'p' OR c.reloftype" NE "0 OR c.relispartition THEN 'is no ordinary table' "
    "END, " A_CONSTRAINT A_TRIGGER A_RULE A_POLICY "CASE WHEN c.relrowsecurity THEN "
    "'has row security' WHEN " HAS_DEFAULT "THEN 'has a default' WHEN " HAS_INDEX
    "THEN 'has an index' WHEN " HAS_PARENT "OR " HAS_CHILD
    "THEN 'has a parent or a child' END) FROM pg_catalog.pg_class c LEFT JOIN "
    "pg_catalog.pg_description d ON d.objoid" EQ "c.oid AND d.classoid" CLASS_IS_TABLES
    "AND d.objsubid" EQ "0 WHERE c.oid" EQ "$1::pg_catalog.oid";

static void judge_table(struct pieces *pieces, const struct sql_located *located,
                        const struct cell *comment, const struct cell *what)
{
    if (what->type == CELL_TEXT)
        pieces_note(pieces, what->text);
    else if (!located->has_columns)
        pieces_note(pieces, SLICE("has other columns than a model"));
    else if (comment->type == CELL_TEXT)
        read_comment(pieces, comment->text);
    if (!pieces->is_usable && !pieces->why[0])
        pieces_note(pieces, SLICE("has no comment that says how many rows of the model it has"));
}

static enum status read_facts(struct pieces *pieces, const struct sql_located *located,
                              struct error *err)
{
    const struct cell key = cell_integer(located->relation);
    struct arena arena;
    struct cell cells[2];
    enum status status;
    bool found;

    arena_init(&arena, FACTS_ARENA_MAX);
    status = sql_first(pieces->host, facts_of_table, &key, 1, &arena, cells, 2, &found, err);
    if (status == STATUS_OK && found)
        judge_table(pieces, located, &cells[0], &cells[1]);
    arena_deinit(&arena);
    return status;
}

static bool is_ours(const struct sql_located *located)
{
    return located->exists && located->is_table && located->has_columns && located->is_callers;
}

/* *is_gone: it was dropped since it was located, also while its lock was waited for. */
static enum status lock_table(const struct pieces *pieces, bool *is_gone, struct error *err)
{
    const struct database *database = pieces->host->database;
    const struct sql_table table = pieces_table(pieces);
    struct database_transaction transaction;
    struct sql_located located;
    struct error ignored;
    enum status status;

    *is_gone = false;
    TRY(database->begin(database->self, &transaction, err));
    status =
        sql_run(pieces->host, "LOCK TABLE @ IN ROW EXCLUSIVE MODE", &table, NULL, 0, NULL, err);
    status = database->end(database->self, &transaction, status, err);
    if (status == STATUS_OK || status == STATUS_INTERRUPTED ||
        postgres_locate(pieces->host, &table, &located, &ignored) != STATUS_OK || located.exists)
        return status;
    *is_gone = true;
    error_clear(err);
    return STATUS_OK;
}

/* A table that is not ours is known by the catalogs alone, and no lock on it is waited for. The
 * lock is that of an INSERT: until the transaction ends nobody puts a trigger on the table, as
 * those may whom ALTER DEFAULT PRIVILEGES lets. */
static enum status find(struct pieces *pieces, struct error *err)
{
    const struct sql_table table = pieces_table(pieces);
    struct sql_located located, locked;

    pieces->is_usable = pieces->is_renamed = false;
    pieces->why[0] = '\0';
    TRY(postgres_locate(pieces->host, &table, &located, err));
    pieces->is_free = !located.exists;
    if (!located.exists)
        return STATUS_OK;
    if (!is_ours(&located))
        return read_facts(pieces, &located, err);
    TRY(lock_table(pieces, &pieces->is_free, err));
    if (pieces->is_free)
        return STATUS_OK;
    TRY(postgres_locate(pieces->host, &table, &locked, err));
    if (is_ours(&locked) && locked.relation == located.relation)
        return read_facts(pieces, &locked, err);
    pieces_note(pieces, SLICE("is another than a moment ago"));
    return STATUS_OK;
}

/* ----- the first piece ----- */

/* A table that comes with a publication of all tables, or of its schema, would have to be there for
 * who subscribes to it. A type of its name keeps a table from being made. The temporary schema has
 * another name, and what is in it outlives no session: nothing is said of that. */
static const char obstacle_of_schema[] =
    "SELECT COALESCE(CASE WHEN NOT pg_catalog.has_schema_privilege(n.oid, 'CREATE') THEN "
    "pg_catalog.format('role %I may make no table in schema %I; GRANT CREATE ON SCHEMA %2$I TO "
    "%1$I; allows it', current_user, n.nspname) END, (SELECT pg_catalog.format('publication %I is "
    "of all tables, and its subscribers have no table for the pieces', p.pubname) FROM "
    "pg_catalog.pg_publication p WHERE p.puballtables ORDER BY p.pubname LIMIT 1), (SELECT "
    "pg_catalog.format('publication %I has all tables in schema %I, and its subscribers have no "
    "table for the pieces', p.pubname, n.nspname) FROM pg_catalog.pg_publication p JOIN "
    "pg_catalog.pg_publication_namespace s ON s.pnpubid" EQ "p.oid WHERE s.pnnspid" EQ
    "n.oid ORDER BY p.pubname LIMIT 1), (SELECT pg_catalog.format('type %I.%I has the name of the "
    "table for the pieces; dropping it makes room for that', n.nspname, t.typname) FROM "
    "pg_catalog.pg_type t WHERE t.typnamespace" EQ "n.oid AND t.typname" EQ "$2 AND t.typrelid" EQ
    "0)) FROM pg_catalog.pg_namespace n WHERE n.nspname" EQ "$1";

static enum status may_begin(struct pieces *pieces, bool *may, struct error *err)
{
    const struct cell keys[] = {cell_text(pieces->table.schema), cell_string(pieces->name)};
    struct arena arena;
    struct cell answer = {.type = CELL_NULL};
    enum status status;

    arena_init(&arena, FACTS_ARENA_MAX);
    status = sql_first(pieces->host, obstacle_of_schema, keys, 2, &arena, &answer, 1, may, err);
    if (status == STATUS_OK && answer.type == CELL_TEXT) {
        slice_copy(answer.text, pieces->why, sizeof pieces->why);
        *may = false;
    }
    arena_deinit(&arena);
    return status;
}

/* A publication of all tables may have been made since the first piece: no further one is for its
 * subscribers, who have no such table. */
enum status postgres_find_pieces(struct pieces *pieces, struct error *err)
{
    bool may;

    TRY(find(pieces, err));
    if (!pieces->is_usable)
        return STATUS_OK;
    TRY(may_begin(pieces, &may, err));
    if (may)
        return STATUS_OK;
    pieces->is_usable = false;
    return pieces_drop(pieces, slice_of(pieces->name), err);
}

/* Removes the tables of other models of this name. */
static enum status remove_others(const struct pieces *pieces, struct error *err)
{
    const struct cell keys[] = {cell_text(pieces->table.schema),
                                cell_text((struct slice){pieces->name, PIECES_PREFIX_BYTES}),
                                cell_string(COMMENT_START)};
    struct cell other = {.type = CELL_TEXT};
    struct arena arena;
    enum status status = STATUS_OK;

    arena_init(&arena, FACTS_ARENA_MAX);
    while (status == STATUS_OK && other.type == CELL_TEXT) {
        status = first(pieces,
                       "SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n "
                       "ON n.oid" EQ "c.relnamespace JOIN pg_catalog.pg_description d ON "
                       "d.objoid" EQ "c.oid AND d.classoid" CLASS_IS_TABLES "AND d.objsubid" EQ
                       "0 WHERE n.nspname" EQ "$1 AND c.relkind" EQ
                       "'r' AND pg_catalog.pg_get_userbyid(c.relowner)" EQ "current_user AND "
                       "pg_catalog.starts_with(c.relname::pg_catalog.text, $2) AND "
                       "pg_catalog.starts_with(d.description, $3)",
                       keys, 3, &arena, &other, err);
        if (status == STATUS_OK && other.type == CELL_TEXT)
            status = pieces_drop(pieces, other.text, err);
    }
    arena_deinit(&arena);
    return status;
}

static enum status revoke(const struct pieces *pieces, struct slice roles, struct error *err)
{
    const struct sql_table table = pieces_table(pieces);
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, "REVOKE ALL ON TABLE @ FROM ", &table);
    text_append(&sql, roles);
    text_append_string(&sql, " CASCADE");
    status = sql_run_text(pieces->host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    return status;
}

/* Rights that ALTER DEFAULT PRIVILEGES has given to others may have been taken back from the
 * model's
 * table since that was made. */
static enum status take_rights(const struct pieces *pieces, struct error *err)
{
    const struct cell keys[] = {cell_text(pieces->table.schema), cell_string(pieces->name)};
    struct cell roles;
    struct arena arena;
    enum status status;

    arena_init(&arena, FACTS_ARENA_MAX);
    status =
        first(pieces,
              "SELECT pg_catalog.string_agg(DISTINCT CASE WHEN x.grantee" EQ "0 THEN 'PUBLIC' ELSE "
              "pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(x.grantee)) END, ', ') FROM "
              "pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" EQ
              "c.relnamespace, pg_catalog.aclexplode(c.relacl) x WHERE n.nspname" EQ
              "$1 AND c.relname" EQ "$2 AND x.grantee" NE "c.relowner",
              keys, 2, &arena, &roles, err);
    if (status == STATUS_OK && roles.type == CELL_TEXT)
        status = revoke(pieces, roles.text, err);
    arena_deinit(&arena);
    return status;
}

enum status postgres_begin_pieces(struct pieces *pieces, struct error *err)
{
    const struct sql_table table = pieces_table(pieces);
    struct sql_located model;
    bool may;

    TRY(may_begin(pieces, &may, err));
    if (!may)
        return STATUS_OK;
    TRY(remove_others(pieces, err));
    TRY(postgres_locate(pieces->host, &pieces->table, &model, err));
    TRY(sql_run_all(pieces->host, pieces->host->variant->make_model, &table, NULL, 0, err));
    if (model.exists)
        TRY(take_rights(pieces, err));
    pieces->is_usable = true;
    pieces->is_renamed = !model.exists;
    pieces->next = 1;
    return STATUS_OK;
}

/* ----- each piece ----- */

enum status postgres_note_piece(struct pieces *pieces, struct error *err)
{
    const struct sql_table table = pieces_table(pieces);
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, "COMMENT ON TABLE @ IS ", &table);
    text_printf(&sql, "'%s%llu'", pieces->is_renamed ? TO_NEW : TO_OLD,
                (unsigned long long)pieces->next);
    status = sql_run_text(pieces->host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    return status;
}

enum status postgres_name_pieces(struct pieces *pieces, struct error *err)
{
    const struct sql_table table = pieces_table(pieces);

    TRY(sql_run(pieces->host, "COMMENT ON TABLE @ IS NULL", &table, NULL, 0, NULL, err));
    return sql_rename(pieces->host, &table, pieces->table.name, err);
}
