#include "extension/postgres/sql/foreign_code.h"

#include "extension/postgres/sql/sql.h"

#define FACTS_ARENA_MAX ((size_t)1 << 20)

/* One query, a clause a line. */
/* clang-format off */
#define CLASS(name) "'pg_catalog." name "'::pg_catalog.regclass"
/* Objects of the table in $1, each with a name for people. */
#define OBJECTS(catalog, what, name, relation)                                                     \
    "SELECT " CLASS(catalog) "::pg_catalog.oid AS class, x.oid AS object, "                        \
    "pg_catalog.format('" what " %I', x." name ") AS shown "                                       \
    "FROM pg_catalog." catalog " x WHERE x." relation EQ "$1::pg_catalog.oid "
#define AND_ALSO "UNION ALL "

/* An object depends on the functions that it calls, on its operators, and on the tables that it
 * names. What is pinned, as all of PostgreSQL's own, no object is noted to depend on. */
static const char foreign[] =
    "SELECT o.shown, r.rolname::pg_catalog.text FROM ("
        OBJECTS("pg_trigger", "trigger", "tgname", "tgrelid")
        AND_ALSO OBJECTS("pg_rewrite", "rule", "rulename", "ev_class")
        AND_ALSO OBJECTS("pg_constraint", "constraint", "conname", "conrelid")
        AND_ALSO OBJECTS("pg_policy", "policy", "polname", "polrelid")
        AND_ALSO OBJECTS("pg_statistic_ext", "statistics", "stxname", "stxrelid")
        AND_ALSO
        "SELECT " CLASS("pg_attrdef") "::pg_catalog.oid, d.oid, "
            "pg_catalog.format('the default of column %I', a.attname) "
            "FROM pg_catalog.pg_attrdef d JOIN pg_catalog.pg_attribute a "
            "ON a.attrelid" EQ "d.adrelid AND a.attnum" EQ "d.adnum "
            "WHERE d.adrelid" EQ "$1::pg_catalog.oid "
        AND_ALSO
        "SELECT " CLASS("pg_class") "::pg_catalog.oid, i.indexrelid, "
            "pg_catalog.format('index %I', c.relname) "
            "FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid" EQ "i.indexrelid "
            "WHERE i.indrelid" EQ "$1::pg_catalog.oid) o "
    "JOIN pg_catalog.pg_depend p ON p.classid" EQ "o.class AND p.objid" EQ "o.object "
    "LEFT JOIN pg_catalog.pg_operator q "
        "ON p.refclassid" EQ CLASS("pg_operator") " AND q.oid" EQ "p.refobjid "
    "LEFT JOIN pg_catalog.pg_proc f ON f.oid" EQ
        "CASE WHEN p.refclassid" EQ CLASS("pg_proc") " THEN p.refobjid "
        "ELSE q.oprcode::pg_catalog.oid END "
    "LEFT JOIN pg_catalog.pg_class t "
        "ON p.refclassid" EQ CLASS("pg_class") " AND t.oid" EQ "p.refobjid "
    "JOIN pg_catalog.pg_roles r ON r.oid" EQ "COALESCE(f.proowner, t.relowner) "
    "WHERE NOT r.rolsuper AND r.rolname" NE "current_user ORDER BY 1 LIMIT 1";
/* clang-format on */

enum status refuse_foreign_code(struct postgres_host *host, const struct pg_located *located,
                                struct error *err)
{
    const struct cell key = cell_integer(located->relation);
    struct cell cells[2];
    struct arena arena;
    enum status status;
    bool found = false;

    arena_init(&arena, FACTS_ARENA_MAX);
    status = pg_first(host, foreign, &key, 1, &arena, cells, 2, &found, err);
    if (status == STATUS_OK && found) {
        status =
            fail(err, STATUS_PERMISSION,
                 "%.*s of table %s.%s would run what role \"%.*s\" has made, with your rights",
                 SLICE_FORMAT(cells[0].text), PG_NAME_OF(located), SLICE_FORMAT(cells[1].text));
        error_hint(err, "Drop it, or train into another name.");
    }
    arena_deinit(&arena);
    return status;
}
