#include "extension/postgres/sql/publish_pieces.h"

#include <stdio.h>

#include "base/hash.h"
#include "extension/postgres/sql/models.h"
#include "extension/postgres/sql/replace.h"
#include "extension/postgres/sql/sql.h"
#include "extension/postgres/sql/write_model.h"
#include "scoring/model_meta.h"

#define FACTS_ARENA_MAX ((size_t)1 << 20)

/* The comment of the table, and how it goes on: only the owner of a table can put one there. */
#define COMMENT_START "ToTrain: rows of a model on their way into "
#define TO_NEW        COMMENT_START "a new table: "
#define TO_OLD        COMMENT_START "the table of another: "

#define CLASS_IS_TABLES " OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "

struct pg_pieces pg_pieces_of(struct sql_host *host, const struct sql_table *table,
                              const struct model *model, const struct sink *sink)
{
    struct pg_pieces pieces = {.host = host, .table = *table, .model = model, .sink = sink};

    pieces_name(bytes_hash(table->name.data, table->name.size, 0), model->digest, pieces.name);
    return pieces;
}

static struct sql_table beside(const struct pg_pieces *pieces)
{
    return (struct sql_table){pieces->table.schema, slice_of(pieces->name)};
}

static enum status first(const struct pg_pieces *pieces, const char *sql, const struct cell *keys,
                         size_t count, struct arena *arena, struct cell *cell, struct error *err)
{
    bool found;

    *cell = cell_null();
    return sql_first(pieces->host, sql, keys, count, arena, cell, 1, &found, err);
}

/* ----- what is there ----- */

static void read_comment(struct pg_pieces *pieces, struct slice comment)
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

/* Of a table c: the first by its name, and whether there are any. */
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

static void note_table(struct pg_pieces *pieces, struct slice what)
{
    snprintf(pieces->why, sizeof pieces->why,
             "table \"%.*s.%s\" %.*s; dropping it makes room for the pieces",
             SLICE_FORMAT(pieces->table.schema), pieces->name, SLICE_FORMAT(what));
}

static void judge_table(struct pg_pieces *pieces, const struct sql_located *located,
                        const struct cell *comment, const struct cell *what)
{
    if (what->type == CELL_TEXT)
        note_table(pieces, what->text);
    else if (!located->has_columns)
        note_table(pieces, SLICE("has other columns than a model"));
    else if (comment->type == CELL_TEXT)
        read_comment(pieces, comment->text);
    if (!pieces->is_usable && !pieces->why[0])
        note_table(pieces, SLICE("has no comment that says how many rows of the model it has"));
}

static enum status read_facts(struct pg_pieces *pieces, const struct sql_located *located,
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
static enum status lock_table(const struct pg_pieces *pieces, bool *is_gone, struct error *err)
{
    const struct database *database = pieces->host->database;
    const struct sql_table table = beside(pieces);
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
        postgres_locate(pieces->host, table.schema, table.name, &located, &ignored) != STATUS_OK ||
        located.exists)
        return status;
    *is_gone = true;
    error_clear(err);
    return STATUS_OK;
}

/* Of what is not ours the catalogs are read alone, and no lock on it is waited for. The lock is
 * that of an INSERT: until the transaction ends nobody puts a trigger on the table, as those may
 * whom ALTER DEFAULT PRIVILEGES lets. */
static enum status find(struct pg_pieces *pieces, struct error *err)
{
    const struct sql_table table = beside(pieces);
    struct sql_located located, locked;

    pieces->is_usable = pieces->is_renamed = false;
    pieces->why[0] = '\0';
    TRY(postgres_locate(pieces->host, table.schema, table.name, &located, err));
    pieces->is_free = !located.exists;
    if (!located.exists)
        return STATUS_OK;
    if (!is_ours(&located))
        return read_facts(pieces, &located, err);
    TRY(lock_table(pieces, &pieces->is_free, err));
    if (pieces->is_free)
        return STATUS_OK;
    TRY(postgres_locate(pieces->host, table.schema, table.name, &locked, err));
    if (is_ours(&locked) && locked.relation == located.relation)
        return read_facts(pieces, &locked, err);
    note_table(pieces, SLICE("is another than a moment ago"));
    return STATUS_OK;
}

static void tell(const struct pg_pieces *pieces)
{
    if (pieces->sink && pieces->why[0])
        sink_notice(
            pieces->sink,
            "model \"%.*s\" is written in one transaction, and not by pieces that stay when "
            "it is interrupted: %s",
            SLICE_FORMAT(pieces->table.name), pieces->why);
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
    "pg_catalog.format('publication %I is of all tables in schema %I, and its subscribers have no "
    "table for the pieces', p.pubname, n.nspname) FROM pg_catalog.pg_publication p JOIN "
    "pg_catalog.pg_publication_namespace s ON s.pnpubid" EQ "p.oid WHERE s.pnnspid" EQ
    "n.oid ORDER BY p.pubname LIMIT 1), (SELECT pg_catalog.format('type %I.%I has the name of the "
    "table for the pieces; dropping it makes room for that', n.nspname, t.typname) FROM "
    "pg_catalog.pg_type t WHERE t.typnamespace" EQ "n.oid AND t.typname" EQ "$2 AND t.typrelid" EQ
    "0)) FROM pg_catalog.pg_namespace n WHERE n.nspname" EQ "$1";

static enum status may_begin(struct pg_pieces *pieces, bool *may, struct error *err)
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

/* Others may have made something of it, such as a view, to keep it. */
static enum status drop(const struct pg_pieces *pieces, struct slice name, struct error *err)
{
    const struct sql_table table = {pieces->table.schema, name};

    return sql_run(pieces->host, "DROP TABLE @ CASCADE", &table, NULL, 0, NULL, err);
}

/* A publication of all tables may have been made since the first piece: no further one is for its
 * subscribers, who have no such table. */
static enum status find_unobstructed(struct pg_pieces *pieces, struct error *err)
{
    bool may;

    TRY(find(pieces, err));
    if (!pieces->is_usable)
        return STATUS_OK;
    TRY(may_begin(pieces, &may, err));
    if (may)
        return STATUS_OK;
    pieces->is_usable = false;
    return drop(pieces, slice_of(pieces->name), err);
}

/* What another model of this name has left. */
static enum status remove_others(const struct pg_pieces *pieces, struct error *err)
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
            status = drop(pieces, other.text, err);
    }
    arena_deinit(&arena);
    return status;
}

static enum status revoke(const struct pg_pieces *pieces, struct slice roles, struct error *err)
{
    const struct sql_table table = beside(pieces);
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

/* What ALTER DEFAULT PRIVILEGES has given to others may have been taken back from the model's table
 * since that was made. */
static enum status take_rights(const struct pg_pieces *pieces, struct error *err)
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

static enum status begin(struct pg_pieces *pieces, struct error *err)
{
    const struct sql_table table = beside(pieces);
    struct sql_located model;
    bool may;

    TRY(may_begin(pieces, &may, err));
    if (!may)
        return STATUS_OK;
    TRY(remove_others(pieces, err));
    TRY(postgres_locate(pieces->host, pieces->table.schema, pieces->table.name, &model, err));
    TRY(pg_create_model_table(pieces->host, &table, err));
    if (model.exists)
        TRY(take_rights(pieces, err));
    pieces->is_usable = true;
    pieces->is_renamed = !model.exists;
    pieces->next = 1;
    return STATUS_OK;
}

/* ----- each piece ----- */

static enum status comment(const struct pg_pieces *pieces, struct error *err)
{
    const struct sql_table table = beside(pieces);
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

/* Others that publish a model of this name wait until this one is published: each would drop the
 * other's table for ever. A table that somebody has dropped meanwhile is not begun again, since
 * that might go on for ever, too. */
static enum status write_piece(struct pg_pieces *pieces, bool *is_at_end, struct error *err)
{
    const struct sql_table table = beside(pieces);
    const bool had_some = pieces->next > 0;

    TRY(pg_hold_model(pieces->host, &pieces->table, err));
    TRY(find_unobstructed(pieces, err));
    if (pieces->is_free && had_some)
        note_table(pieces, SLICE("is gone"));
    else if (pieces->is_free)
        TRY(begin(pieces, err));
    *is_at_end = !pieces->is_usable;
    if (!pieces->is_usable)
        return STATUS_OK;
    TRY(pg_write_model(pieces->host, &table, pieces->model, &pieces->next, pieces_bytes(),
                       is_at_end, err));
    return comment(pieces, err);
}

enum status pg_pieces_write(struct pg_pieces *pieces, struct error *err)
{
    const struct database *database = pieces->host->database;
    struct database_transaction transaction;
    bool is_settled, is_at_end = false;

    if (!pieces_are_for(model_memory(pieces->model)))
        return STATUS_OK;
    TRY(database->settle(database->self, &is_settled, err));
    while (is_settled && !is_at_end) {
        TRY(database->begin(database->self, &transaction, err));
        TRY(database->end(database->self, &transaction, write_piece(pieces, &is_at_end, err), err));
        TRY(database->settle(database->self, &is_settled, err));
    }
    if (is_at_end)
        pieces->are_written = pieces->is_usable;
    if (is_at_end && !pieces->is_usable)
        tell(pieces);
    return STATUS_OK;
}

/* ----- the table gets the model ----- */

#define ROWS_OF_PIECES                                                                             \
    "SELECT pg_catalog.count(*), pg_catalog.count(DISTINCT (p.part, p.name, p.\"position\")) "     \
    "FROM @ p"

static enum status count_rows(const struct pg_pieces *pieces, int64_t counts[2], struct error *err)
{
    const struct sql_table table = beside(pieces);
    struct cell cells[2] = {cell_null(), cell_null()};
    struct arena arena;
    enum status status;
    struct text sql;
    bool found;

    arena_init(&arena, FACTS_ARENA_MAX);
    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, ROWS_OF_PIECES, &table);
    status = sql.failed ? fail_no_memory(err)
                        : sql_first(pieces->host, text_string(&sql), NULL, 0, &arena, cells, 2,
                                    &found, err);
    for (int i = 0; i < 2; i++)
        counts[i] = cells[i].type == CELL_INTEGER ? cells[i].integer : -1;
    text_deinit(&sql);
    arena_deinit(&arena);
    return status;
}

/* A script that cleans up, or a role that ALTER DEFAULT PRIVILEGES gave DELETE, may have taken
 * some. Nobody takes any more under this lock. */
static enum status check_rows(struct pg_pieces *pieces, struct error *err)
{
    const struct sql_table table = beside(pieces);
    const int64_t wanted = (int64_t)pieces->next - 1;
    int64_t counts[2];

    TRY(sql_run(pieces->host, "LOCK TABLE @ IN SHARE ROW EXCLUSIVE MODE", &table, NULL, 0, NULL,
                err));
    TRY(count_rows(pieces, counts, err));
    if (counts[0] == wanted && counts[1] == wanted)
        return STATUS_OK;
    snprintf(pieces->why, sizeof pieces->why, "table \"%.*s.%s\" has %lld of %lld rows",
             SLICE_FORMAT(pieces->table.schema), pieces->name, (long long)counts[1],
             (long long)wanted);
    tell(pieces);
    pieces->is_usable = pieces->are_written = false;
    return drop(pieces, table.name, err);
}

enum status pg_pieces_find(struct pg_pieces *pieces, struct error *err)
{
    TRY(find_unobstructed(pieces, err));
    if (pieces->are_written && pieces->is_free)
        note_table(pieces, SLICE("is gone"));
    if (pieces->are_written && !pieces->is_usable)
        tell(pieces);
    return pieces->is_usable ? check_rows(pieces, err) : STATUS_OK;
}

static enum status write_meta(const struct pg_pieces *pieces, const struct sql_table *table,
                              struct error *err)
{
    uint64_t first_row = 0;
    bool is_at_end;

    return pg_write_model(pieces->host, table, pieces->model, &first_row, 1, &is_at_end, err);
}

static enum status become_table(const struct pg_pieces *pieces, struct error *err)
{
    const struct sql_table table = beside(pieces);

    TRY(write_meta(pieces, &table, err));
    TRY(sql_run(pieces->host, "COMMENT ON TABLE @ IS NULL", &table, NULL, 0, NULL, err));
    return postgres_rename(pieces->host, &table, pieces->table.name, err);
}

static enum status move_rows(const struct pg_pieces *pieces, struct error *err)
{
    const struct sql_table table = beside(pieces);
    enum status status;
    struct text sql;

    TRY(write_meta(pieces, &pieces->table, err)); /* where readers look first */
    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql,
               "INSERT INTO @ (part, name, \"position\", value, data) SELECT part, name, "
               "\"position\", value, data FROM ",
               &pieces->table);
    sql_append(&sql, "@", &table);
    status = sql_run_text(pieces->host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    TRY(status);
    return drop(pieces, table.name, err);
}

enum status pg_pieces_take(struct pg_pieces *pieces, bool target, struct error *err)
{
    const struct sql_table table = beside(pieces);
    bool is_at_end;

    /* As ever there are none. */
    TRY(pg_write_model(pieces->host, &table, pieces->model, &pieces->next, SIZE_MAX, &is_at_end,
                       err));
    return target ? move_rows(pieces, err) : become_table(pieces, err);
}
