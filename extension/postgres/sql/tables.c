#include "extension/postgres/sql/tables.h"

#include <stdio.h>
#include <string.h>

#include "extension/engine/jobs/unpublished.h"
#include "extension/postgres/sql/models.h"
#include "extension/postgres/sql/postgres_variant.h"
#include "extension/postgres/sql/replace.h"
#include "extension/postgres/sql/sql.h"
#include "extension/sql/sql.h"

#define NAMES_ARENA_MAX ((size_t)1 << 20)

/* ----- may it be written? ----- */

enum status postgres_target_schema(struct sql_host *host, struct slice *schema,
                                   char buffer[SQL_NAME_BYTES], struct error *err)
{
    if (schema->size > 0)
        return STATUS_OK;
    TRY(sql_text_of(host, "SELECT pg_catalog.current_schema()", NULL, 0, buffer, SQL_NAME_BYTES,
                    err));
    *schema = slice_of(buffer);
    if (schema->size > 0)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "no schema has been selected to create in");
    return error_hint(err, "Write schema.name, or SET search_path to a schema that exists.");
}

/* Rights of the session, at all and in the schema. */
struct rights {
    bool is_read_only, has_extension, may_keep, has_schema, may_create;
    char version[32]; /* the version of the extension's scripts */
};

static enum status read_rights(struct sql_host *host, struct slice schema, struct rights *rights,
                               struct error *err)
{
    struct cell key = {.type = CELL_TEXT, .text = schema}, cells[6];
    struct arena arena;
    enum status status;
    bool found = false;

    arena_init(&arena, NAMES_ARENA_MAX);
    status = sql_first(
        host,
        "SELECT pg_catalog.current_setting('transaction_read_only')" EQ "'on', "
        "v.oid IS NOT NULL, coalesce(pg_catalog.has_schema_privilege(v.relnamespace, 'USAGE') "
        "AND pg_catalog.has_table_privilege(v.oid, 'INSERT'), false), "
        "n.oid IS NOT NULL, coalesce(pg_catalog.has_schema_privilege(n.oid, 'CREATE'), false), "
        "(SELECT e.extversion FROM pg_catalog.pg_extension e WHERE e.extname" EQ "'totrain') "
        "FROM (SELECT 1) one LEFT JOIN (SELECT c.oid, c.relnamespace FROM pg_catalog.pg_class c "
        "JOIN pg_catalog.pg_namespace s ON s.oid" EQ "c.relnamespace WHERE s.nspname" EQ
        "'totrain' AND c.relname" EQ "'versions' AND " EXTENSION_IS_THERE ") v ON true "
        "LEFT JOIN pg_catalog.pg_namespace n ON n.nspname" EQ "$1",
        &key, 1, &arena, cells, 6, &found, err);
    if (status == STATUS_OK) {
        *rights =
            (struct rights){.is_read_only = cell_is_true(&cells[0]),
                            .has_extension = cell_is_true(&cells[1]),
                            .may_keep = cell_is_true(&cells[2]),
                            .has_schema = cell_is_true(&cells[3]) || slice_is(schema, "pg_temp"),
                            .may_create = cell_is_true(&cells[4]) || slice_is(schema, "pg_temp")};
        if (cells[5].type == CELL_TEXT)
            snprintf(rights->version, sizeof rights->version, "%.*s", SLICE_FORMAT(cells[5].text));
    }
    arena_deinit(&arena);
    return status;
}

/* Module and program come with files, the scripts' objects with the database: one may be older. */
static enum status check_version(const struct rights *rights, struct error *err)
{
    const int order = strverscmp(rights->version, TOTRAIN_EXTENSION_VERSION);

    if (order == 0 || !rights->version[0])
        return STATUS_OK;
    fail(err, STATUS_INVALID, "extension totrain has version %s here, and this program needs %s",
         rights->version, TOTRAIN_EXTENSION_VERSION);
    return order < 0 ? error_hint(err, "ALTER EXTENSION totrain UPDATE; brings it up to date.")
                     : error_hint(err, "Install what belongs to version %s, and connect anew.",
                                  rights->version);
}

static enum status refuse_without_extension(struct error *err)
{
    fail(err, STATUS_INVALID, "this database has no extension totrain");
    return error_hint(err, "CREATE EXTENSION totrain; makes it, once in each database.");
}

enum status postgres_find_place(void *self, struct slice schema, struct unpublished *unpublished,
                                struct error *err)
{
    char buffer[SQL_NAME_BYTES];

    TRY(postgres_target_schema(self, &schema, buffer, err));
    slice_copy(schema, unpublished->schema, sizeof unpublished->schema);
    return STATUS_OK;
}

enum status postgres_check_functions(void *self, struct error *err)
{
    int64_t is_there = 0;

    TRY(sql_integer(self, "SELECT " EXTENSION_IS_THERE, NULL, NULL, 0, &is_there, err));
    return is_there ? STATUS_OK : refuse_without_extension(err);
}

static enum status check_session(const struct rights *rights, enum target_kind kind,
                                 struct error *err)
{
    if (rights->is_read_only)
        return fail(err, STATUS_PERMISSION, "the transaction or the server is read-only");
    if (kind != TARGET_MODEL)
        return STATUS_OK;
    if (!rights->has_extension)
        return refuse_without_extension(err);
    TRY(check_version(rights, err));
    if (!rights->may_keep)
        return fail(err, STATUS_PERMISSION, "permission denied to keep models in this database"),
               error_hint(err, "GRANT totrain_user TO the role lets it train.");
    return STATUS_OK;
}

/* A new table needs a right in the schema; an old one is its owner's to replace. */
static enum status check_rights(const struct rights *rights, struct slice schema,
                                const struct sql_located *located, enum target_kind kind,
                                struct error *err)
{
    if (!rights->has_schema)
        return fail(err, STATUS_NOT_FOUND, "there is no schema \"%.*s\"", SLICE_FORMAT(schema)),
               error_hint(err, "CREATE SCHEMA makes one.");
    if (located->exists && !located->is_ours)
        return fail(err, STATUS_PERMISSION, "must be owner of table %s.%s to replace it",
                    LOCATED_NAME(located));
    if (!rights->may_create &&
        !(located->exists && (kind == TARGET_MODEL || kind == TARGET_DEFINITION)))
        return fail(err, STATUS_PERMISSION, "permission denied for schema %.*s",
                    SLICE_FORMAT(schema)),
               error_hint(err,
                          kind == TARGET_DEFINITION
                              ? "Write DEFINE MODEL schema.zoo/name, where you may create tables."
                              : "Write INTO a schema where you may create tables.");
    return STATUS_OK;
}

enum status postgres_check_target(void *self, const struct table_target *target, struct error *err)
{
    struct sql_host *host = self;
    struct slice schema = target->schema;
    struct sql_located located;
    struct rights rights;
    char buffer[SQL_NAME_BYTES];

    TRY(postgres_target_schema(host, &schema, buffer, err));
    if (slice_is(schema, "pg_toast") || slice_is(schema, "pg_catalog"))
        return fail(err, STATUS_INVALID, "schema %.*s is the server's own", SLICE_FORMAT(schema)),
               error_hint(err, "Choose another schema.");
    if (slice_is(schema, "totrain"))
        return fail(err, STATUS_INVALID, "schema totrain is the extension's own"),
               error_hint(err, "Choose another schema.");
    TRY(read_rights(host, schema, &rights, err));
    TRY(check_session(&rights, target->kind, err));
    located = (struct sql_located){0};
    if (rights.has_schema)
        TRY(postgres_locate(host, &(struct sql_table){schema, target->name}, &located, err));
    TRY(check_rights(&rights, schema, &located, target->kind, err));
    TRY(postgres_check_replaced(host, &located, target, err));
    return located.exists && target->kind == TARGET_MODEL
               ? postgres_check_published(host, &located, err)
               : STATUS_OK;
}

/* ----- writing ----- */

enum status postgres_create_as(struct sql_host *host, const struct text *create,
                               struct slice select, uint64_t *rows, struct error *err)
{
    struct database_statement statement = {.count = 0}; /* its SELECT is the user's */
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_append(&sql, text_slice(create));
    text_append_string(&sql, " AS ");
    text_append(&sql, select);
    statement.sql = text_slice(&sql);
    status = create->failed || sql.failed
                 ? fail_no_memory(err)
                 : host->database->query(host->database->self, &statement, NULL, rows, err);
    if (status != STATUS_OK)
        err->position = -1;
    text_deinit(&sql);
    return status;
}

enum status postgres_create_table_as(struct sql_host *host, const struct sql_table *table,
                                     struct slice select, uint64_t *rows, struct error *err)
{
    enum status status;
    struct text create;

    text_init(&create, TEXT_MAXIMUM);
    sql_append(&create, "CREATE TABLE @", table);
    status = postgres_create_as(host, &create, select, rows, err);
    text_deinit(&create);
    return status;
}

/* The server's own message says neither what the table is for nor what would allow it. */
enum status postgres_check_temporary(struct sql_host *host, struct error *err)
{
    struct cell cells[3] = {{.type = CELL_NULL}};
    struct arena arena;
    enum status status;
    bool found;

    arena_init(&arena, NAMES_ARENA_MAX);
    status = sql_first(host,
                       "SELECT pg_catalog.has_database_privilege(pg_catalog.current_database(), "
                       "'TEMPORARY'), pg_catalog.quote_ident(pg_catalog.current_database()), "
                       "pg_catalog.quote_ident(current_user)",
                       NULL, 0, &arena, cells, 3, &found, err);
    if (status == STATUS_OK && found && cells[0].integer == 0) {
        status = fail(err, STATUS_PERMISSION,
                      "role %.*s may make no temporary table in database %.*s, in which its rows "
                      "must be kept",
                      SLICE_FORMAT(cells[2].text), SLICE_FORMAT(cells[1].text));
        error_hint(err, "GRANT TEMPORARY ON DATABASE %.*s TO %.*s; allows it.",
                   SLICE_FORMAT(cells[1].text), SLICE_FORMAT(cells[2].text));
    }
    arena_deinit(&arena);
    return status;
}

enum status postgres_keep_stage(struct sql_host *host, struct slice select, struct error *err)
{
    const struct sql_table *stage = &host->variant->stage;

    TRY(postgres_check_temporary(host, err));
    TRY(postgres_drop_kept(host, stage, err));
    return postgres_create_table_as(host, stage, select, NULL, err);
}

const char *postgres_type_of(enum cell_type type)
{
    switch (type) {
    case CELL_INTEGER:
        return "pg_catalog.int8";
    case CELL_REAL:
        return "pg_catalog.float8";
    default:
        return "pg_catalog.text";
    }
}
