#include "extension/postgres/sql/publish_pieces.h"

#include "base/hash.h"
#include "extension/postgres/sql/models.h"
#include "extension/postgres/sql/replace.h"
#include "extension/postgres/sql/write_model.h"
#include "scoring/model_meta.h"

#define FACTS_ARENA_MAX ((size_t)1 << 20)

/* The comment of the table, and how it goes on: only the owner of a table can put one there. */
#define COMMENT_START "ToTrain: rows of a model on their way into "
#define TO_NEW        COMMENT_START "a new table: "
#define TO_OLD        COMMENT_START "the table of another: "

#define CLASS_IS_TABLES " OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "

struct pg_pieces pg_pieces_of(struct postgres_host *host, const struct pg_table *table,
                              const struct model *model)
{
    struct pg_pieces pieces = {.host = host, .table = *table, .model = model};

    pieces_name(bytes_hash(table->name.data, table->name.size, 0), model->digest, pieces.name);
    return pieces;
}

static struct pg_table beside(const struct pg_pieces *pieces)
{
    return (struct pg_table){pieces->table.schema, slice_of(pieces->name)};
}

static enum status first(const struct pg_pieces *pieces, const char *sql, const struct cell *keys,
                         size_t count, struct arena *arena, struct cell *cell, struct error *err)
{
    bool found;

    *cell = cell_null();
    return pg_first(pieces->host, sql, keys, count, arena, cell, 1, &found, err);
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

/* The comment of a table on which nothing is run with a row. */
static const char comment_of_clean[] =
    "SELECT d.description FROM pg_catalog.pg_class c JOIN pg_catalog.pg_description d "
    "ON d.objoid" EQ "c.oid AND d.classoid" CLASS_IS_TABLES "AND d.objsubid" EQ "0 WHERE c.oid" EQ
    "$1::pg_catalog.oid AND c.relpersistence" EQ "'p' AND c.reloftype" EQ "0 AND NOT c.relhasrules "
    "AND NOT c.relhasindex AND NOT c.relrowsecurity AND NOT c.relispartition "
    "AND NOT EXISTS (SELECT FROM pg_catalog.pg_trigger x WHERE x.tgrelid" EQ "c.oid) "
    "AND NOT EXISTS (SELECT FROM pg_catalog.pg_policy x WHERE x.polrelid" EQ "c.oid) "
    "AND NOT EXISTS (SELECT FROM pg_catalog.pg_attrdef x WHERE x.adrelid" EQ "c.oid) "
    "AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint x WHERE x.conrelid" EQ "c.oid) "
    "AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits x WHERE x.inhrelid" EQ
    "c.oid OR x.inhparent" EQ "c.oid)";

static enum status read_facts(struct pg_pieces *pieces, const struct pg_located *located,
                              struct error *err)
{
    const struct cell key = cell_integer(located->relation);
    struct arena arena;
    struct cell comment;
    enum status status;

    arena_init(&arena, FACTS_ARENA_MAX);
    status = first(pieces, comment_of_clean, &key, 1, &arena, &comment, err);
    if (status == STATUS_OK && comment.type == CELL_TEXT)
        read_comment(pieces, comment.text);
    arena_deinit(&arena);
    return status;
}

static bool is_ours(const struct pg_located *located)
{
    return located->exists && located->is_table && located->has_columns && located->is_callers;
}

/* Of what is not ours nothing is asked, and no lock on it is waited for. The lock is that of an
 * INSERT: until the transaction ends nobody puts a trigger on the table, as those may whom ALTER
 * DEFAULT PRIVILEGES lets. */
enum status pg_pieces_find(struct pg_pieces *pieces, struct error *err)
{
    const struct pg_table table = beside(pieces);
    struct pg_located located, locked;

    pieces->is_usable = pieces->is_renamed = false;
    TRY(postgres_locate(pieces->host, table.schema, table.name, &located, err));
    pieces->is_free = !located.exists;
    if (!is_ours(&located))
        return STATUS_OK;
    TRY(pg_run(pieces->host, "LOCK TABLE @ IN ROW EXCLUSIVE MODE", &table, NULL, 0, NULL, err));
    TRY(postgres_locate(pieces->host, table.schema, table.name, &locked, err));
    return is_ours(&locked) && locked.relation == located.relation
               ? read_facts(pieces, &locked, err)
               : STATUS_OK;
}

/* ----- the first piece ----- */

/* A table that comes with a publication of all tables, or of its schema, would have to be there for
 * who subscribes to it. A type of its name keeps a table from being made. The temporary schema has
 * another name. */
static enum status may_begin(const struct pg_pieces *pieces, bool *may, struct error *err)
{
    const struct cell keys[] = {cell_text(pieces->table.schema), cell_string(pieces->name)};
    struct arena arena;
    struct cell answer;
    enum status status;

    arena_init(&arena, FACTS_ARENA_MAX);
    status = first(
        pieces,
        "SELECT pg_catalog.has_schema_privilege(n.oid, 'CREATE') AND NOT EXISTS (SELECT FROM "
        "pg_catalog.pg_publication p WHERE p.puballtables) AND NOT EXISTS (SELECT FROM "
        "pg_catalog.pg_publication_namespace s WHERE s.pnnspid" EQ "n.oid) AND NOT EXISTS (SELECT "
        "FROM pg_catalog.pg_type t WHERE t.typnamespace" EQ "n.oid AND t.typname" EQ "$2) "
        "FROM pg_catalog.pg_namespace n WHERE n.nspname" EQ "$1",
        keys, 2, &arena, &answer, err);
    *may = answer.type == CELL_INTEGER && answer.integer != 0;
    arena_deinit(&arena);
    return status;
}

/* Others may have made something of it, such as a view, to keep it. */
static enum status drop(const struct pg_pieces *pieces, struct slice name, struct error *err)
{
    const struct pg_table table = {pieces->table.schema, name};

    return pg_run(pieces->host, "DROP TABLE @ CASCADE", &table, NULL, 0, NULL, err);
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
    const struct pg_table table = beside(pieces);
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    pg_sql_append(&sql, "REVOKE ALL ON TABLE @ FROM ", &table);
    text_append(&sql, roles);
    text_append_string(&sql, " CASCADE");
    status = pg_run_text(pieces->host, &sql, NULL, 0, NULL, err);
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
    const struct pg_table table = beside(pieces);
    struct pg_located model;
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
    const struct pg_table table = beside(pieces);
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    pg_sql_append(&sql, "COMMENT ON TABLE @ IS ", &table);
    text_printf(&sql, "'%s%llu'", pieces->is_renamed ? TO_NEW : TO_OLD,
                (unsigned long long)pieces->next);
    status = pg_run_text(pieces->host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    return status;
}

static enum status write_piece(struct pg_pieces *pieces, bool *is_at_end, struct error *err)
{
    const struct pg_table table = beside(pieces);

    TRY(pg_lock_model(pieces->host, &pieces->table, err));
    TRY(pg_pieces_find(pieces, err));
    if (pieces->is_free)
        TRY(begin(pieces, err));
    *is_at_end = !pieces->is_usable;
    if (!pieces->is_usable)
        return STATUS_OK;
    TRY(pg_write_model(pieces->host, &table, pieces->model, &pieces->next, PIECE_BYTES, is_at_end,
                       err));
    return comment(pieces, err);
}

enum status pg_pieces_write(struct pg_pieces *pieces, struct error *err)
{
    const struct pg_database *database = pieces->host->database;
    struct pg_transaction transaction;
    bool is_settled, is_at_end = false;

    if (model_memory(pieces->model) < PIECES_MODEL_LEAST)
        return STATUS_OK;
    TRY(database->settle(database->self, &is_settled, err));
    while (is_settled && !is_at_end) {
        TRY(database->begin(database->self, &transaction, err));
        TRY(database->end(database->self, &transaction, write_piece(pieces, &is_at_end, err), err));
        TRY(database->settle(database->self, &is_settled, err));
    }
    return STATUS_OK;
}

/* ----- the table gets the model ----- */

static enum status write_meta(const struct pg_pieces *pieces, const struct pg_table *table,
                              struct error *err)
{
    uint64_t first_row = 0;
    bool is_at_end;

    return pg_write_model(pieces->host, table, pieces->model, &first_row, 1, &is_at_end, err);
}

static enum status become_table(const struct pg_pieces *pieces, struct error *err)
{
    const struct pg_table table = beside(pieces);

    TRY(write_meta(pieces, &table, err));
    TRY(pg_run(pieces->host, "COMMENT ON TABLE @ IS NULL", &table, NULL, 0, NULL, err));
    return postgres_rename(pieces->host, &table, pieces->table.name, err);
}

static enum status move_rows(const struct pg_pieces *pieces, struct error *err)
{
    const struct pg_table table = beside(pieces);
    enum status status;
    struct text sql;

    TRY(write_meta(pieces, &pieces->table, err)); /* where readers look first */
    text_init(&sql, TEXT_MAXIMUM);
    pg_sql_append(&sql,
                  "INSERT INTO @ (part, name, \"position\", value, data) SELECT part, name, "
                  "\"position\", value, data FROM ",
                  &pieces->table);
    pg_sql_append(&sql, "@", &table);
    status = pg_run_text(pieces->host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    TRY(status);
    return drop(pieces, table.name, err);
}

enum status pg_pieces_take(struct pg_pieces *pieces, bool target, struct error *err)
{
    const struct pg_table table = beside(pieces);
    bool is_at_end;

    /* As ever there are none. */
    TRY(pg_write_model(pieces->host, &table, pieces->model, &pieces->next, SIZE_MAX, &is_at_end,
                       err));
    return target ? move_rows(pieces, err) : become_table(pieces, err);
}
