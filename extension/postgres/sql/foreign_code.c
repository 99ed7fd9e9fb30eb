#include "extension/postgres/sql/foreign_code.h"

#include "extension/postgres/sql/sql.h"
#include "extension/sql/sql.h"

#define FACTS_ARENA_MAX ((size_t)1 << 20)

/* One query, a clause a line. */
/* clang-format off */
#define CLASS(name) "'pg_catalog." name "'::pg_catalog.regclass"
/* Objects of the table in $1: each with a name for people, and its expressions as PostgreSQL keeps
 * them. */
#define OBJECTS(catalog, what, name, relation, expressions)                                        \
    "SELECT " CLASS(catalog) "::pg_catalog.oid AS class, x.oid AS object, "                        \
    "pg_catalog.format('" what " %I', x." name ") AS shown, "                                      \
    "pg_catalog.concat(" expressions ") AS expressions "                                           \
    "FROM pg_catalog." catalog " x WHERE x." relation EQ "$1::pg_catalog.oid "
#define AND_ALSO "UNION ALL "

static const char objects[] =
    OBJECTS("pg_trigger", "trigger", "tgname", "tgrelid", "x.tgqual")
    AND_ALSO OBJECTS("pg_rewrite", "rule", "rulename", "ev_class", "x.ev_qual, x.ev_action")
    AND_ALSO OBJECTS("pg_constraint", "constraint", "conname", "conrelid", "x.conbin")
    AND_ALSO OBJECTS("pg_policy", "policy", "polname", "polrelid", "x.polqual, x.polwithcheck")
    AND_ALSO OBJECTS("pg_statistic_ext", "statistics", "stxname", "stxrelid", "x.stxexprs")
    AND_ALSO
    "SELECT " CLASS("pg_attrdef") "::pg_catalog.oid, d.oid, "
        "pg_catalog.format('the default of column %I', a.attname), d.adbin::pg_catalog.text "
        "FROM pg_catalog.pg_attrdef d JOIN pg_catalog.pg_attribute a "
        "ON a.attrelid" EQ "d.adrelid AND a.attnum" EQ "d.adnum "
        "WHERE d.adrelid" EQ "$1::pg_catalog.oid "
    AND_ALSO
    "SELECT " CLASS("pg_class") "::pg_catalog.oid, i.indexrelid, "
        "pg_catalog.format('index %I', c.relname), pg_catalog.concat(i.indexprs, i.indpred) "
        "FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid" EQ "i.indexrelid "
        "WHERE i.indrelid" EQ "$1::pg_catalog.oid "
    AND_ALSO
    "SELECT " CLASS("pg_class") "::pg_catalog.oid, $1::pg_catalog.oid, 'the type of a column', ''";

/* An object depends on the functions that it calls, on its operators, on its types and on the
 * tables that it names. What is pinned, as all of PostgreSQL's own, no object is noted to depend
 * on: its expressions name those functions. */
static const char called[] =
    "SELECT o.shown, CASE WHEN p.refclassid" EQ CLASS("pg_proc") " THEN p.refobjid "
        "ELSE q.oprcode::pg_catalog.oid END AS function, COALESCE(t.relowner, y.typowner) AS owner "
        "FROM o JOIN pg_catalog.pg_depend p ON p.classid" EQ "o.class AND p.objid" EQ "o.object "
        "LEFT JOIN pg_catalog.pg_operator q "
            "ON p.refclassid" EQ CLASS("pg_operator") " AND q.oid" EQ "p.refobjid "
        "LEFT JOIN pg_catalog.pg_class t "
            "ON p.refclassid" EQ CLASS("pg_class") " AND t.oid" EQ "p.refobjid "
        "LEFT JOIN pg_catalog.pg_type y "
            "ON p.refclassid" EQ CLASS("pg_type") " AND y.oid" EQ "p.refobjid "
    AND_ALSO
    "SELECT o.shown, m.found[1]::pg_catalog.oid, NULL FROM o, pg_catalog.regexp_matches("
        "o.expressions, ':(?:funcid|opfuncid|aggfnoid|winfnoid) ([0-9]+)', 'g') m (found)";

/* Those of PostgreSQL and of extensions are a superuser's, but run whatever text or table they are
 * given (query_to_xml), or act with the caller's rights (set_config, lo_unlink). */
#define DOES_MORE                                                                                  \
    "CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_depend e WHERE e.classid" EQ CLASS("pg_proc")     \
        " AND e.objid" EQ "f.oid AND e.deptype" EQ "'e') THEN f.provolatile" NE "'i' "             \
    "WHEN f.pronamespace" EQ "'pg_catalog'::pg_catalog.regnamespace THEN "                         \
        "f.proname OPERATOR(pg_catalog.~) '_to_xml' OR f.provolatile" EQ "'v' AND f.prorettype"    \
        NE "'pg_catalog.trigger'::pg_catalog.regtype AND f.proname" NE "ALL ('{random,"            \
        "random_normal,gen_random_uuid,uuidv4,uuidv7,nextval,clock_timestamp,timeofday}'"          \
        "::pg_catalog.name[]) "                                                                    \
    "ELSE false END "

static const char judged[] =
    "SELECT c.shown, CASE WHEN NOT r.rolsuper AND r.rolname" NE "current_user "
        "THEN pg_catalog.concat('what role \"', r.rolname, '\" has made') "
        "WHEN " DOES_MORE "THEN pg_catalog.concat('function ', f.proname, "
        "', which does more than compute') END AS what "
    "FROM c LEFT JOIN pg_catalog.pg_proc f ON f.oid" EQ "c.function "
    "JOIN pg_catalog.pg_roles r ON r.oid" EQ "COALESCE(f.proowner, c.owner)";
/* clang-format on */

static enum status find_foreign(struct sql_host *host, int64_t relation, struct arena *arena,
                                struct cell cells[2], bool *found, struct error *err)
{
    const struct cell key = cell_integer(relation);
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_printf(&sql,
                "WITH o AS (%s), c AS (%s), j AS (%s) SELECT j.shown, j.what FROM j "
                "WHERE j.what IS NOT NULL ORDER BY 1, 2 LIMIT 1",
                objects, called, judged);
    status = sql.failed ? fail_no_memory(err)
                        : sql_first(host, text_string(&sql), &key, 1, arena, cells, 2, found, err);
    text_deinit(&sql);
    return status;
}

enum status refuse_foreign_code(struct sql_host *host, const struct sql_located *located,
                                struct error *err)
{
    struct cell cells[2];
    struct arena arena;
    enum status status;
    bool found = false;

    arena_init(&arena, FACTS_ARENA_MAX);
    status = find_foreign(host, located->relation, &arena, cells, &found, err);
    if (status == STATUS_OK && found) {
        status =
            fail(err, STATUS_PERMISSION, "%.*s of table %s.%s would run %.*s, with your rights",
                 SLICE_FORMAT(cells[0].text), LOCATED_NAME(located), SLICE_FORMAT(cells[1].text));
        error_hint(err, "Drop it, or train into another name.");
    }
    arena_deinit(&arena);
    return status;
}
