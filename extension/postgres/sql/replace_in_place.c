#include "extension/postgres/sql/replace_in_place.h"

#include "extension/postgres/sql/foreign_code.h"
#include "extension/postgres/sql/sql.h"

#define FACTS_ARENA_MAX ((size_t)1 << 20)

/* Tables that are UNLOGGED or temporary are never published. */
/* clang-format off */
static const char published_of[] =
    "SELECT c.relpersistence" EQ "'p' AND EXISTS (SELECT FROM pg_catalog.pg_publication p WHERE "
        "p.puballtables OR EXISTS (SELECT FROM pg_catalog.pg_publication_rel r "
            "WHERE r.prpubid" EQ "p.oid AND r.prrelid" EQ "c.oid) "
        "OR EXISTS (SELECT FROM pg_catalog.pg_publication_namespace s "
            "WHERE s.pnpubid" EQ "p.oid AND s.pnnspid" EQ "c.relnamespace)), "
    "EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid" EQ "c.oid) "
        "OR EXISTS (SELECT FROM pg_catalog.pg_rewrite w WHERE w.ev_class" EQ "c.oid), "
    "(SELECT pg_catalog.string_agg(pg_catalog.quote_ident(p.pubname), ', ' ORDER BY p.pubname) "
        "FROM pg_catalog.pg_publication p JOIN pg_catalog.pg_publication_rel r "
        "ON r.prpubid" EQ "p.oid WHERE r.prrelid" EQ "c.oid) "
    "FROM pg_catalog.pg_class c WHERE c.oid" EQ "$1::pg_catalog.oid";

static const char published_of_schema[] =
    "SELECT pg_catalog.string_agg(pg_catalog.quote_ident(p.pubname), ', ' ORDER BY p.pubname) "
    "FROM pg_catalog.pg_namespace n, pg_catalog.pg_publication p WHERE n.nspname" EQ "$1 "
    "AND n.oid" NE "pg_catalog.pg_my_temp_schema() AND (p.puballtables OR EXISTS (SELECT "
    "FROM pg_catalog.pg_publication_namespace s WHERE s.pnpubid" EQ "p.oid AND s.pnnspid" EQ
    "n.oid)) AND pg_catalog.current_setting('wal_level')" EQ "'logical'";

#define COLUMNS(table)                                                                             \
    "SELECT pg_catalog.row_number() OVER (ORDER BY a.attnum), a.attname, a.atttypid, a.atttypmod, " \
    "a.attcollation, a.attidentity, a.attgenerated FROM pg_catalog.pg_attribute a "                \
    "WHERE a.attrelid" EQ table "::pg_catalog.oid AND a.attnum OPERATOR(pg_catalog.>) 0 "          \
    "AND NOT a.attisdropped"
static const char same_columns[] =
    "SELECT NOT EXISTS ((" COLUMNS("$1") " EXCEPT ALL " COLUMNS("$2") ") "
        "UNION ALL (" COLUMNS("$2") " EXCEPT ALL " COLUMNS("$1") ")) "
    "AND NOT EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid" EQ
        "$1::pg_catalog.oid AND NOT a.attisdropped AND (a.attidentity" NE "'' OR a.attgenerated" NE
        "''))";
/* clang-format on */

enum status postgres_find_published(struct sql_host *host, const struct sql_located *table,
                                    struct pg_published *published, struct error *err)
{
    const struct cell key = cell_integer(table->relation);
    struct cell cells[3] = {{.type = CELL_NULL}};
    struct error foreign;
    struct arena arena;
    enum status status;
    bool found = false;

    *published = (struct pg_published){.is_published = false};
    arena_init(&arena, FACTS_ARENA_MAX);
    status = sql_first(host, published_of, &key, 1, &arena, cells, 3, &found, err);
    if (status == STATUS_OK && found) {
        published->is_published = cell_is_true(&cells[0]);
        published->stays = published->is_published && table->is_callers && !cell_is_true(&cells[1]);
        if (cells[2].type == CELL_TEXT)
            slice_copy(cells[2].text, published->publications, sizeof published->publications);
    }
    arena_deinit(&arena);
    if (status != STATUS_OK || !published->stays)
        return status;
    status = refuse_foreign_code(host, table, &foreign);
    published->stays = status == STATUS_OK;
    if (status == STATUS_PERMISSION)
        return STATUS_OK;
    if (status != STATUS_OK)
        *err = foreign;
    return status;
}

enum status postgres_find_schema_published(struct sql_host *host, struct slice schema,
                                           struct pg_published *published, struct error *err)
{
    const struct cell key = cell_text(schema);

    *published = (struct pg_published){.is_published = false};
    TRY(sql_text_of(host, published_of_schema, &key, 1, published->publications,
                    sizeof published->publications, err));
    published->is_published = published->publications[0] != '\0';
    return STATUS_OK;
}

enum status postgres_has_same_columns(struct sql_host *host, int64_t one, int64_t other,
                                      bool *has_same, struct error *err)
{
    const struct cell parameters[] = {cell_integer(one), cell_integer(other)};
    int64_t is_so = 0;

    TRY(sql_integer(host, same_columns, NULL, parameters, 2, &is_so, err));
    *has_same = is_so != 0;
    return STATUS_OK;
}

enum status postgres_move_rows(struct sql_host *host, const struct sql_table *from,
                               const struct sql_table *table, struct error *err)
{
    struct text sql;
    enum status status;

    TRY(sql_run(host, "TRUNCATE TABLE @", table, NULL, 0, NULL, err));
    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, "INSERT INTO @ ", table);
    sql_append(&sql, "SELECT * FROM @", from);
    status = sql_run_text(host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    TRY(status);
    return sql_run(host, "DROP TABLE @", from, NULL, 0, NULL, err);
}
