#include "extension/postgres/sql/models.h"

#include "extension/postgres/sql/sql.h"
#include "extension/sql/sql.h"

#define NAMES_ARENA_MAX ((size_t)1 << 20) /* for catalog rows: a few names each */

/* "name type-OID" of each column: text, text, int8, float8, bytea. */
#define MODEL_COLUMNS "data 17,name 25,part 25,position 20,value 701"

#define COLUMNS_OF_RELATION                                                                        \
    "(SELECT pg_catalog.string_agg(pg_catalog.concat(a.attname, ' ', a.atttypid), ',' "            \
    "ORDER BY a.attname) FROM pg_catalog.pg_attribute a WHERE a.attrelid" EQ                       \
    "c.oid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped)"

static enum status locate_path(struct sql_host *host, struct slice path, struct arena *arena,
                               struct sql_located *located, struct error *err)
{
    struct cell cells[7], key = {.type = CELL_TEXT, .text = path};

    TRY(sql_first(host,
                  "SELECT c.oid, c.relkind" EQ "'r', n.nspname, c.relname, "
                  "pg_catalog.pg_has_role(c.relowner, 'USAGE'), " COLUMNS_OF_RELATION
                  ", pg_catalog.pg_get_userbyid(c.relowner)" EQ "current_user"
                  " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" EQ
                  "c.relnamespace WHERE c.oid" EQ "pg_catalog.to_regclass($1)",
                  &key, 1, arena, cells, 7, &located->exists, err));
    if (!located->exists)
        return STATUS_OK;
    located->relation = cells[0].integer;
    located->is_table = cell_is_true(&cells[1]);
    slice_copy(cells[2].text, located->schema, sizeof located->schema);
    slice_copy(cells[3].text, located->name, sizeof located->name);
    located->is_ours = cell_is_true(&cells[4]);
    located->is_callers = cell_is_true(&cells[6]);
    located->has_columns = cells[5].type == CELL_TEXT && slice_is(cells[5].text, MODEL_COLUMNS);
    return STATUS_OK;
}

enum status postgres_locate(struct sql_host *host, const struct sql_table *table,
                            struct sql_located *located, struct error *err)
{
    struct arena arena;
    struct text path;
    enum status status;

    *located = (struct sql_located){0};
    text_init(&path, TEXT_MAXIMUM);
    sql_append(&path, "@", table);
    arena_init(&arena, NAMES_ARENA_MAX);
    status = path.failed ? fail_no_memory(err)
                         : locate_path(host, text_slice(&path), &arena, located, err);
    arena_deinit(&arena);
    text_deinit(&path);
    return status;
}

/* The temporary schema of a session has no such name in pg_namespace. */
bool postgres_has_schema(void *self, struct slice schema)
{
    const struct cell key = cell_text(schema);
    struct error ignored;
    int64_t count = 0;

    if (slice_is(schema, "pg_temp"))
        return true;
    /* A statement that uses it will report what is wrong. */
    return sql_integer(self,
                       "SELECT pg_catalog.count(*) FROM pg_catalog.pg_namespace WHERE nspname" EQ
                       "$1",
                       NULL, &key, 1, &count, &ignored) != STATUS_OK ||
           count > 0;
}

/* ----- all models ----- */

/* The model tables that the caller may read, as they would be written here. Without those
 * that row security guards: they are not read. */
static const char models_query[] =
    "SELECT c.oid, n.nspname, c.relname, CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN "
    "pg_catalog.quote_ident(c.relname) ELSE pg_catalog.format('%I.%I', n.nspname, c.relname) END "
    "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" EQ
    "c.relnamespace WHERE c.relkind" EQ "'r' AND c.relnatts OPERATOR(pg_catalog.>=) 5 "
    "AND NOT pg_catalog.pg_is_other_temp_schema(n.oid) "
    "AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') "
    "AND pg_catalog.has_table_privilege(c.oid, 'SELECT') "
    "AND NOT pg_catalog.row_security_active(c.oid) "
    "AND " COLUMNS_OF_RELATION EQ "'" MODEL_COLUMNS "' ORDER BY n.nspname, c.relname";

enum status postgres_list_tables(struct sql_host *host, const struct database_rows *rows,
                                 struct error *err)
{
    return sql_each(host, models_query, NULL, NULL, 0, rows, err);
}

/* The schema is named, too: a view or a dump is read along another search_path than it was made. */
void postgres_hint_model(struct slice name, struct slice nearest, struct slice shown,
                         struct error *err)
{
    if (slice_equal(name, nearest))
        error_hint(err,
                   "Did you mean %.*s? A name without a schema is looked up along the search_path "
                   "of whoever reads it, also in a view.",
                   SLICE_FORMAT(shown));
    else
        error_hint(err, "Did you mean %.*s?", SLICE_FORMAT(shown));
}

#define IS_TRUSTED(owner)                                                                          \
    "(pg_catalog.pg_get_userbyid(" owner ")" EQ "current_user OR EXISTS (SELECT FROM "             \
    "pg_catalog.pg_roles r WHERE r.oid" EQ owner " AND r.rolsuper))"

/* A model's rows are not trusted: a name in them is a type only where the catalog has one of
 * exactly this name, whose input function is PostgreSQL's own. */
enum status postgres_check_label_type(struct sql_host *host, struct slice name, struct arena *arena,
                                      struct slice *checked, struct error *err)
{
    const struct cell keys[] = {{.type = CELL_TEXT, .text = name},
                                cell_integer(host->database->checks_types)};
    struct cell found_name;
    bool found = false;

    *checked = (struct slice){"", 0};
    if (name.size == 0)
        return STATUS_OK;
    TRY(sql_first(
        host,
        "SELECT " PG_TYPE_NAME " FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n "
        "ON n.oid" EQ "t.typnamespace WHERE " PG_TYPE_NAME EQ "$1 AND " PG_LABEL_TYPE
        " AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') "
        "AND pg_catalog.has_type_privilege(t.oid, 'USAGE') "
        "AND ($2" EQ "1 OR " IS_TRUSTED("t.typowner") " AND (" IS_TRUSTED(
            "n.nspowner") " OR pg_catalog.pg_get_userbyid(n.nspowner)" EQ "'pg_database_owner'))",
        keys, 2, arena, &found_name, 1, &found, err));
    if (found)
        *checked = found_name.text;
    return STATUS_OK;
}
