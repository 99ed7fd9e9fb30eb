#include "extension/postgres/sql/postgres_variant.h"

#include "extension/postgres/sql/models.h"
#include "extension/postgres/sql/pieces.h"
#include "extension/postgres/sql/replace.h"
#include "extension/postgres/sql/replace_in_place.h"
#include "extension/postgres/sql/sql.h"
#include "extension/postgres/sql/tables.h"
#include "extension/sql/sql.h"

/* A row of the extension's tables that is of the model's table in $1. */
#define RELATION_IS_1 "relation" EQ "$1::pg_catalog.oid"

/* ----- publications ----- */

/* Counts the table in $1 if it is published for deletes and has the replica identity $2
 * (relreplident). */
#define PUBLISHED_WITH                                                                             \
    "SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c WHERE c.oid" EQ                         \
    "$1::pg_catalog.oid AND c.relreplident" EQ "$2::pg_catalog.\"char\" AND NOT EXISTS (SELECT "   \
    "FROM pg_catalog.pg_index i WHERE i.indrelid" EQ "c.oid AND i.indisprimary AND "               \
    "c.relreplident" EQ "'d') AND EXISTS (SELECT FROM pg_catalog.pg_publication p WHERE "          \
    "p.pubdelete AND (p.puballtables OR EXISTS (SELECT FROM pg_catalog.pg_publication_rel r "      \
    "WHERE r.prpubid" EQ "p.oid AND r.prrelid" EQ "c.oid) OR EXISTS (SELECT FROM "                 \
    "pg_catalog.pg_publication_namespace s WHERE s.pnpubid" EQ "p.oid AND s.pnnspid" EQ            \
    "c.relnamespace)))"

static enum status is_published_with(struct sql_host *host, const struct sql_located *located,
                                     const char *identity, int64_t *is_so, struct error *err)
{
    const struct cell key[] = {cell_integer(located->relation), cell_string(identity)};

    return sql_integer(host, PUBLISHED_WITH, NULL, key, 2, is_so, err);
}

/* Replication identifies deleted rows of a model from before, or of a copy, by all of their
 * columns. */
static enum status identify_rows(struct sql_host *host, const struct sql_located *located,
                                 struct error *err)
{
    const struct sql_table table = {slice_of(located->schema), slice_of(located->name)};
    int64_t needs = 0;

    TRY(is_published_with(host, located, "d", &needs, err));
    return needs ? sql_run(host, "ALTER TABLE @ REPLICA IDENTITY FULL", &table, NULL, 0, NULL, err)
                 : STATUS_OK;
}

enum status postgres_check_published(struct sql_host *host, const struct sql_located *located,
                                     struct error *err)
{
    int64_t is_so = 0;

    TRY(is_published_with(host, located, "n", &is_so, err));
    if (!is_so)
        return STATUS_OK;
    fail(err, STATUS_INVALID,
         "model %s.%s is part of a publication, and has no replica identity to be replaced by",
         LOCATED_NAME(located));
    return sql_hint(err, "ALTER TABLE @ REPLICA IDENTITY FULL;",
                    &(struct sql_table){slice_of(located->schema), slice_of(located->name)});
}

/* Kept rows of a model name its table: a subscriber that has none would stop at them, too. */
static enum status tell_subscribers(struct sql_host *host, const struct sql_located *located,
                                    const struct sink *sink, struct error *err)
{
    struct pg_published published;

    TRY(postgres_find_schema_published(host, slice_of(located->schema), &published, err));
    if (sink && published.is_published)
        sink_notice(sink,
                    "table %s.%s is new and published by %s: a subscription stops here until the "
                    "subscriber has such a table; ALTER SUBSCRIPTION ... REFRESH PUBLICATION then "
                    "copies its rows",
                    LOCATED_NAME(located), published.publications);
    return STATUS_OK;
}

/* ----- what is written ----- */

static enum status refuse_changes(const struct sql_located *located, struct error *err)
{
    fail(err, STATUS_INVALID,
         "a trigger or a rule on table %s.%s changes rows of the model as they are written",
         LOCATED_NAME(located));
    return error_hint(err, "Drop it, or train into another name.");
}

/* The answer to an earlier COMMIT was lost: was it committed? Its transaction holds the lock on
 * this name until that is decided. */
static enum status was_committed(struct sql_host *host, bool *was, struct error *err)
{
    const struct cell key = cell_string(host->publisher);
    int64_t answer = 0;

    *was = false;
    if (!host->publisher[0])
        return STATUS_OK;
    TRY(sql_integer(host,
                    "SELECT (pg_catalog.pg_xact_status($1::pg_catalog.xid8)" EQ
                    "'committed')::pg_catalog.int4",
                    NULL, &key, 1, &answer, err));
    *was = answer != 0;
    return STATUS_OK;
}

static enum status note_transaction(struct sql_host *host, bool *was, struct error *err)
{
    TRY(was_committed(host, was, err));
    if (*was)
        return STATUS_OK;
    TRY(sql_text_of(host, "SELECT pg_catalog.pg_current_xact_id()::pg_catalog.text", NULL, 0,
                    host->publisher, sizeof host->publisher, err));
    return host->publisher[0]
               ? STATUS_OK
               : fail(err, STATUS_DATABASE, "the server does not say which transaction this is");
}

/* ----- the texts ----- */

/* Random bytes cannot be packed: TOAST would try with every chunk. */
static const char *const make_model[] = {
    "CREATE TABLE @ (part pg_catalog.text, name pg_catalog.text, \"position\" pg_catalog.int8, "
    "value pg_catalog.float8, data pg_catalog.bytea)",
    "ALTER TABLE @ ALTER COLUMN data SET STORAGE EXTERNAL, REPLICA IDENTITY FULL", NULL};

/* The caller may not delete from the extension's tables: its function does. */
#define FORGET(which, version)                                                                     \
    "SELECT totrain.forget($1::pg_catalog.oid, '" which "', " version "::pg_catalog.int8)"

/* All but totrain.kept_versions of them. */
static const char *const forget_older[] = {FORGET("older versions", "0"),
                                           FORGET("older metrics", "0"), NULL};

static const char *const put_facts[] = {
    FORGET("model", "0"),
    "INSERT INTO totrain.models (relation, id, version, kind, digest, created_at, rows, statement) "
    "VALUES ($1::pg_catalog.oid, $2, $3, $6, $4, $5, $7, $8)",
    NULL};

const struct sql_variant postgres_variant = {
    .names_schemas = true,
    .locate = postgres_locate,
    .choose_schema = postgres_target_schema,
    .list_tables = postgres_list_tables,
    .hint_model = postgres_hint_model,
    .check_label_type = postgres_check_label_type,
    /* The kept rows are its owner's to see. */
    .table_bytes =
        "SELECT pg_catalog.pg_total_relation_size(c.oid), " EXTENSION_IS_THERE
        " AND pg_catalog.pg_has_role(c.relowner, 'USAGE') AND "
        "pg_catalog.has_table_privilege(v.oid, 'SELECT'), NULL::pg_catalog.int8 FROM "
        "pg_catalog.pg_class c LEFT JOIN (pg_catalog.pg_class v JOIN pg_catalog.pg_namespace n ON "
        "n.oid" EQ "v.relnamespace AND n.nspname" EQ "'totrain') ON v.relname" EQ
        "'versions' WHERE c.oid" EQ "$1::pg_catalog.oid",
    .kept_bytes =
        "SELECT coalesce(pg_catalog.sum(pg_catalog.octet_length(v.data)), "
        "0)::pg_catalog.int8 FROM totrain.versions v WHERE v.relation" EQ "$1::pg_catalog.oid",

    .check_target = postgres_check_target,
    .check_replaced = postgres_check_replaced,
    .lock_model = "SELECT totrain.lock_model($1, $2)",
    .hold_model = "SELECT totrain.hold_model($1, $2)",
    .lock_rows = "LOCK TABLE @ IN ROW EXCLUSIVE MODE",
    .make_model = make_model,
    .insert_row =
        "INSERT INTO @ (part, name, \"position\", value, data) VALUES ($1, $2, $3, $4, $5)",
    .count_row_changers =
        "SELECT (EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid" EQ
        "c.oid) OR EXISTS (SELECT FROM pg_catalog.pg_rewrite w WHERE w.ev_class" EQ
        "c.oid))::pg_catalog.int4 FROM pg_catalog.pg_class c WHERE c.oid" EQ "$1::pg_catalog.oid",
    .refuse_changes = refuse_changes,
    .note_transaction = note_transaction,
    .prepare_removal = identify_rows,
    .tell_first = tell_subscribers,

    .may_read_kept =
        "SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON "
        "n.oid" EQ "c.relnamespace WHERE n.nspname" EQ "'totrain' AND c.relname" EQ
        "'versions' AND " EXTENSION_IS_THERE
        " AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND "
        "pg_catalog.has_table_privilege(c.oid, 'SELECT')",
    .count_copies =
        "SELECT pg_catalog.count(*) FROM totrain.models r JOIN pg_catalog.pg_class c "
        "ON c.oid" EQ "r.relation WHERE r.id" EQ "$2 AND r.relation" NE "$1::pg_catalog.oid",
    .newest_version = "SELECT pg_catalog.max(version) FROM totrain.versions WHERE " RELATION_IS_1,
    .list_versions =
        "SELECT version, digest, created_at, data FROM totrain.versions WHERE " RELATION_IS_1
        " AND part" EQ "'meta' ORDER BY version DESC",
    .list_metrics = "SELECT epoch, step, metric, part, value FROM totrain.metrics "
                    "WHERE " RELATION_IS_1 " AND version" EQ "$3 ORDER BY epoch, step, place",
    .forget_version = FORGET("version", "$3"),
    .keep_version =
        "INSERT INTO totrain.versions (relation, version, digest, created_at, part, name, "
        "\"position\", value, data) SELECT $1::pg_catalog.oid, $3, $4, $5, m.part, m.name, "
        "m.\"position\", m.value, m.data FROM @ m",
    .restore_version = "INSERT INTO @ (part, name, \"position\", value, data) SELECT part, name, "
                       "\"position\", value, data FROM totrain.versions WHERE " RELATION_IS_1
                       " AND version" EQ "$3",
    .forget_older = forget_older,
    .put_model = put_facts,
    .insert_metric =
        "INSERT INTO totrain.metrics (relation, version, job, epoch, step, metric, part, value) "
        "VALUES ($1::pg_catalog.oid, $3, $9, $4, $5, $6, $7, $8)",

    .find_pieces = postgres_find_pieces,
    .begin_pieces = postgres_begin_pieces,
    .note_piece = postgres_note_piece,
    .lock_pieces = "LOCK TABLE @ IN SHARE ROW EXCLUSIVE MODE", /* nobody takes any more */
    .count_pieces = POSTGRES_COUNT_PIECES,
    .order_of_pieces = "",
    .name_pieces = postgres_name_pieces,
    .replace_by_select = postgres_replace_by_select,
    .replace = postgres_replace,
    .create = postgres_create,
    .type_of = postgres_type_of,
    .stage = {SLICE("pg_temp"), SLICE("totrain_kept_rows")},
    .keep_stage = postgres_keep_stage,
    .drop_own = "DROP TABLE @ CASCADE", /* others may have made a view of it, to keep it */
};
