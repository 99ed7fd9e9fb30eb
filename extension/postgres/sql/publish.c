#include "extension/postgres/sql/publish.h"

#include <stdio.h>

#include "extension/engine/host/stored.h"
#include "extension/postgres/sql/models.h"
#include "extension/postgres/sql/publish_pieces.h"
#include "extension/postgres/sql/replace.h"
#include "extension/postgres/sql/replace_in_place.h"
#include "extension/postgres/sql/sql.h"
#include "extension/postgres/sql/tables.h"
#include "extension/postgres/sql/write_model.h"
#include "extension/sql/sql.h"

#define NAMES_ARENA_MAX ((size_t)1 << 20)

/* Of a row of the extension's tables: that of the model's table in $1. */
#define RELATION_IS_1 "relation" EQ "$1::pg_catalog.oid"

/* One model being written. */
struct publishing {
    struct sql_host *host;
    struct sql_table table;
    struct sql_located located;
    struct arena *arena;
};

static enum status first_integer(const struct publishing *publishing, const char *sql,
                                 const struct cell *parameters, size_t count, int64_t *value,
                                 struct error *err)
{
    struct cell cell = {.type = CELL_NULL};
    bool found;

    TRY(sql_first(publishing->host, sql, parameters, count, publishing->arena, &cell, 1, &found,
                  err));
    *value = cell.type == CELL_INTEGER ? cell.integer : 0;
    return STATUS_OK;
}

/* The caller may not delete from the extension's tables: its function does. */
static enum status forget(const struct publishing *publishing, const char *which, int64_t version,
                          struct error *err)
{
    const struct cell cells[] = {cell_integer(publishing->located.relation), cell_string(which),
                                 cell_integer(version)};

    return sql_run(publishing->host, "SELECT totrain.forget($1::pg_catalog.oid, $2, $3)", NULL,
                   cells, 3, NULL, err);
}

/* The rows of the model in the table become rows of totrain.versions. */
static enum status keep_current(const struct publishing *publishing, const struct model *current,
                                struct error *err)
{
    struct sql_host *host = publishing->host;
    struct cell facts[] = {cell_integer(publishing->located.relation),
                           cell_integer(current->version), cell_text(current->digest),
                           cell_text(current->created_at)};

    TRY(forget(publishing, "version", current->version, err));
    TRY(sql_run(host,
                "INSERT INTO totrain.versions (relation, version, digest, created_at, part, name, "
                "\"position\", value, data) SELECT $1::pg_catalog.oid, $2, $3, $4, m.part, m.name, "
                "m.\"position\", m.value, m.data FROM @ m",
                &publishing->table, facts, 4, NULL, err));
    return sql_run(host, "DELETE FROM @", &publishing->table, NULL, 0, NULL, err);
}

/* But for totrain.kept_versions. Not before a version that is brought back was taken from them. */
static enum status forget_older(const struct publishing *publishing, struct error *err)
{
    TRY(forget(publishing, "older versions", 0, err));
    return forget(publishing, "older metrics", 0, err);
}

struct metric_insertion {
    struct pg_insertion rows;
    const struct publication *publication;
    struct cell relation;
};

static enum status insert_metric(void *context, uint32_t epoch, uint64_t step, const char *metric,
                                 const char *part, double value, struct error *err)
{
    struct metric_insertion *insertion = context;
    const struct publication *publication = insertion->publication;
    struct cell cells[] = {insertion->relation,
                           cell_integer(publication->model->version),
                           cell_integer(publication->job),
                           cell_integer(epoch),
                           cell_integer((int64_t)step),
                           cell_string(metric),
                           cell_string(part),
                           cell_real(value)};

    return pg_insertion_row(&insertion->rows, cells, err);
}

static enum status insert_metrics(const struct publishing *publishing,
                                  const struct publication *publication, struct error *err)
{
    static const enum cell_type types[] = {CELL_INTEGER, CELL_INTEGER, CELL_INTEGER, CELL_INTEGER,
                                           CELL_INTEGER, CELL_TEXT,    CELL_TEXT,    CELL_REAL};
    struct metric_insertion insertion = {.publication = publication,
                                         .relation = cell_integer(publishing->located.relation)};

    if (!publication->store)
        return STATUS_OK;
    TRY(pg_insertion_begin(
        &insertion.rows, publishing->host,
        "INSERT INTO totrain.metrics (relation, version, job, epoch, step, metric, part, value) "
        "VALUES ($1::pg_catalog.oid, $2, $3, $4, $5, $6, $7, $8)",
        NULL, types, 8, err));
    return pg_insertion_end(
        &insertion.rows, jobstore_each_metric(publication->store, insert_metric, &insertion, err),
        err);
}

static enum status put_registry(const struct publishing *publishing, const struct model *model,
                                struct error *err)
{
    struct cell cells[] = {cell_integer(publishing->located.relation),
                           cell_text(model->id),
                           cell_integer(model->version),
                           cell_text(model->estimator),
                           cell_text(model->digest),
                           cell_text(model->created_at),
                           cell_integer((int64_t)model->rows),
                           cell_text(model->statement)};

    TRY(forget(publishing, "model", 0, err));
    return sql_run(publishing->host,
                   "INSERT INTO totrain.models (relation, id, version, kind, digest, created_at, "
                   "rows, statement) VALUES ($1::pg_catalog.oid, $2, $3, $4, $5, $6, $7, $8)",
                   NULL, cells, 8, NULL, err);
}

/* ----- publishing a trained model ----- */

/* A table that was copied has the id of the other one, which also has its
 * versions: what replaces the copy is a model of its own. */
static enum status is_copy(const struct publishing *publishing, const struct model *current,
                           bool *result, struct error *err)
{
    struct cell key[] = {cell_text(current->id), cell_integer(publishing->located.relation)};
    int64_t others = 0;

    TRY(first_integer(publishing,
                      "SELECT pg_catalog.count(*) FROM totrain.models r JOIN pg_catalog.pg_class c "
                      "ON c.oid" EQ "r.relation WHERE r.id" EQ "$1 AND r.relation" NE
                      "$2::pg_catalog.oid",
                      key, 2, &others, err));
    *result = others > 0;
    return STATUS_OK;
}

/* Is published for deletes, and is of this replica identity (relreplident). */
#define PUBLISHED_WITH                                                                             \
    "SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c WHERE c.oid" EQ                         \
    "$1::pg_catalog.oid AND c.relreplident" EQ "$2::pg_catalog.\"char\" AND NOT EXISTS (SELECT "   \
    "FROM pg_catalog.pg_index i WHERE i.indrelid" EQ "c.oid AND i.indisprimary AND "               \
    "c.relreplident" EQ "'d') AND EXISTS (SELECT FROM pg_catalog.pg_publication p WHERE "          \
    "p.pubdelete AND (p.puballtables OR EXISTS (SELECT FROM pg_catalog.pg_publication_rel r "      \
    "WHERE r.prpubid" EQ "p.oid AND r.prrelid" EQ "c.oid) OR EXISTS (SELECT FROM "                 \
    "pg_catalog.pg_publication_namespace s WHERE s.pnpubid" EQ "p.oid AND s.pnnspid" EQ            \
    "c.relnamespace)))"

/* Replication identifies deleted rows: of a model from before, or a copy, by all of their
 * columns. */
static enum status identify_rows(const struct publishing *publishing, struct error *err)
{
    const struct cell key[] = {cell_integer(publishing->located.relation), cell_string("d")};
    int64_t needs = 0;

    TRY(first_integer(publishing, PUBLISHED_WITH, key, 2, &needs, err));
    return needs ? sql_run(publishing->host, "ALTER TABLE @ REPLICA IDENTITY FULL",
                           &publishing->table, NULL, 0, NULL, err)
                 : STATUS_OK;
}

enum status postgres_check_published(struct sql_host *host, const struct sql_located *located,
                                     struct error *err)
{
    const struct cell key[] = {cell_integer(located->relation), cell_string("n")};
    struct publishing publishing = {.host = host};
    struct arena arena;
    int64_t is_so = 0;
    enum status status;

    arena_init(&arena, NAMES_ARENA_MAX);
    publishing.arena = &arena;
    status = first_integer(&publishing, PUBLISHED_WITH, key, 2, &is_so, err);
    arena_deinit(&arena);
    TRY(status);
    if (!is_so)
        return STATUS_OK;
    fail(err, STATUS_INVALID,
         "model %s.%s is part of a publication, and has no replica identity to be replaced by",
         LOCATED_NAME(located));
    return sql_hint(err, "ALTER TABLE @ REPLICA IDENTITY FULL;",
                    &(struct sql_table){slice_of(located->schema), slice_of(located->name)});
}

/* The table is there: its model's id and the version after all that exist. */
static enum status succeed_current(const struct publishing *publishing, struct model *model,
                                   struct error *err)
{
    const struct table_target target = {.name = publishing->table.name, .kind = TARGET_MODEL};
    struct cell relation = cell_integer(publishing->located.relation);
    struct model current;
    int64_t newest = 0;
    bool copied;

    if (publishing->located.is_callers) /* no trigger is put on it any more */
        TRY(sql_run(publishing->host, "LOCK TABLE @ IN ROW EXCLUSIVE MODE", &publishing->table,
                    NULL, 0, NULL, err));
    TRY(postgres_check_replaced(publishing->host, &publishing->located, &target, err));
    TRY(postgres_load_meta(publishing->host, publishing->table.schema, publishing->table.name,
                           publishing->arena, &current, err));
    TRY(identify_rows(publishing, err));
    TRY(is_copy(publishing, &current, &copied, err));
    if (copied)
        return sql_run(publishing->host, "DELETE FROM @", &publishing->table, NULL, 0, NULL, err);
    TRY(first_integer(publishing,
                      "SELECT pg_catalog.max(version) FROM totrain.versions WHERE " RELATION_IS_1,
                      &relation, 1, &newest, err));
    model->id = current.id;
    model->version = 1 + (newest > current.version ? newest : current.version);
    TRY(keep_current(publishing, &current, err));
    return forget_older(publishing, err);
}

/* The answer to an earlier COMMIT was lost: was it committed? Its transaction holds the lock on
 * this name until that is decided. */
static enum status was_committed(const struct publishing *publishing, bool *was, struct error *err)
{
    const struct cell key = cell_string(publishing->host->publisher);
    int64_t answer = 0;

    *was = false;
    if (!publishing->host->publisher[0])
        return STATUS_OK;
    TRY(first_integer(publishing,
                      "SELECT (pg_catalog.pg_xact_status($1::pg_catalog.xid8)" EQ
                      "'committed')::pg_catalog.int4",
                      &key, 1, &answer, err));
    *was = answer != 0;
    return STATUS_OK;
}

static enum status note_transaction(const struct publishing *publishing, struct error *err)
{
    struct cell transaction = {.type = CELL_NULL};
    bool found;

    TRY(sql_first(publishing->host, "SELECT pg_catalog.pg_current_xact_id()::pg_catalog.text", NULL,
                  0, publishing->arena, &transaction, 1, &found, err));
    if (transaction.type != CELL_TEXT)
        return fail(err, STATUS_DATABASE, "the server does not say which transaction this is");
    slice_copy(transaction.text, publishing->host->publisher, sizeof publishing->host->publisher);
    return STATUS_OK;
}

/* Into the table, which is empty; or where none is there yet, into one that is made. */
static enum status fill_table(struct publishing *publishing, struct pg_pieces *pieces,
                              struct error *err)
{
    const struct sql_table *table = &publishing->table;
    bool has_table = publishing->located.exists;
    uint64_t first = 0;
    bool is_at_end;

    TRY(pg_pieces_find(pieces, err));
    if (!has_table && !(pieces->is_usable && pieces->is_renamed)) {
        TRY(pg_create_model_table(publishing->host, table, err));
        has_table = true;
    }
    if (pieces->is_usable)
        TRY(pg_pieces_take(pieces, has_table, err));
    else
        TRY(pg_write_model(publishing->host, table, pieces->model, &first, SIZE_MAX, &is_at_end,
                           err));
    return postgres_locate(publishing->host, table->schema, table->name, &publishing->located, err);
}

#define CHANGES_ROWS                                                                               \
    "SELECT (EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid" EQ "c.oid) OR EXISTS ("  \
    "SELECT FROM pg_catalog.pg_rewrite w WHERE w.ev_class" EQ "c.oid))::pg_catalog.int4 FROM "     \
    "pg_catalog.pg_class c WHERE c.oid" EQ "$1::pg_catalog.oid"

/* Is the model in the table that was put there? The owner's triggers and rules may leave rows out,
 * change them, or keep the old ones. */
static enum status check_written(const struct publishing *publishing, int64_t version,
                                 struct error *err)
{
    const struct sql_located *located = &publishing->located;
    const struct cell key = cell_integer(located->relation);
    int64_t may_differ = 0;
    enum status status;
    struct arena arena;
    struct model written = {.version = 0};
    struct error reason;

    TRY(first_integer(publishing, CHANGES_ROWS, &key, 1, &may_differ, err));
    if (!may_differ)
        return STATUS_OK;
    arena_init(&arena, ARENA_MAXIMUM);
    status = postgres_load_model(publishing->host, publishing->table.schema, publishing->table.name,
                                 &arena, &written, &reason);
    arena_deinit(&arena);
    if (status == STATUS_OK && written.version == version)
        return STATUS_OK;
    if (status != STATUS_OK && status != STATUS_CORRUPT)
        return *err = reason, status;
    fail(err, STATUS_INVALID,
         "a trigger or a rule on table %s.%s changes rows of the model as they are written",
         LOCATED_NAME(located));
    return error_hint(err, "Drop it, or train into another name.");
}

/* Kept rows of a model name its table: a subscriber that has none would stop at them, too. */
static enum status tell_subscribers(const struct publishing *publishing, const struct sink *sink,
                                    struct error *err)
{
    struct pg_published published;

    TRY(postgres_find_schema_published(publishing->host, slice_of(publishing->located.schema),
                                       &published, err));
    if (sink && published.is_published)
        sink_notice(sink,
                    "table %s.%s is new and published by %s: a subscription stops here until the "
                    "subscriber has such a table; ALTER SUBSCRIPTION ... REFRESH PUBLICATION then "
                    "copies its rows",
                    LOCATED_NAME(&publishing->located), published.publications);
    return STATUS_OK;
}

static enum status publish_in_transaction(struct publishing *publishing, struct pg_pieces *pieces,
                                          struct publication *publication, struct error *err)
{
    struct model *model = publication->model;
    bool is_there, is_new;

    TRY(pg_lock_model(publishing->host, &publishing->table, err));
    TRY(was_committed(publishing, &is_there, err));
    if (is_there) /* with the version that it got then */
        return STATUS_OK;
    TRY(note_transaction(publishing, err));
    TRY(model_stamp(model, publishing->arena, err));
    TRY(postgres_locate(publishing->host, publishing->table.schema, publishing->table.name,
                        &publishing->located, err));
    is_new = !publishing->located.exists;
    if (!is_new)
        TRY(succeed_current(publishing, model, err));
    TRY(fill_table(publishing, pieces, err));
    TRY(is_new ? tell_subscribers(publishing, publication->sink, err)
               : check_written(publishing, model->version, err));
    TRY(put_registry(publishing, model, err));
    return insert_metrics(publishing, publication, err);
}

enum status postgres_write_pieces(struct sql_host *host, struct slice schema, struct slice name,
                                  struct publication *publication, struct error *err)
{
    struct sql_table table = {schema, name};
    struct pg_pieces pieces;
    char buffer[64];

    TRY(postgres_target_schema(host, &table.schema, buffer, err));
    pieces = pg_pieces_of(host, &table, publication->model, publication->sink);
    TRY(pg_pieces_write(&pieces, err));
    publication->has_pieces = pieces.are_written;
    return STATUS_OK;
}

enum status postgres_publish(void *self, struct slice schema, struct slice name,
                             struct publication *publication, struct error *err)
{
    struct sql_host *host = self;
    const struct database *database = host->database;
    struct publishing publishing = {.host = host, .table = {schema, name}};
    struct database_transaction transaction;
    struct arena arena;
    struct pg_pieces pieces;
    char buffer[64];
    enum status status;

    TRY(postgres_target_schema(host, &publishing.table.schema, buffer, err));
    pieces = pg_pieces_of(host, &publishing.table, publication->model, publication->sink);
    pieces.are_written = publication->has_pieces;
    if (!host->publisher[0]) /* else all of them are there, or the model is */
        TRY(pg_pieces_write(&pieces, err));
    TRY(database->begin(database->self, &transaction, err));
    arena_init(&arena, ARENA_MAXIMUM);
    publishing.arena = &arena;
    status = publish_in_transaction(&publishing, &pieces, publication, err);
    status = database->end(database->self, &transaction, status, err);
    /* The caller shows the version; the texts were of this arena. */
    publication->model->id = (struct slice){0};
    publication->model->created_at = (struct slice){0};
    arena_deinit(&arena);
    return status;
}

/* ----- kept versions ----- */

/* The model's meta row, and where its table was found. */
static enum status find_current(struct publishing *publishing, struct model *current,
                                struct error *err)
{
    struct sql_located *located = &publishing->located;

    TRY(postgres_load_meta(publishing->host, publishing->table.schema, publishing->table.name,
                           publishing->arena, current, err));
    TRY(postgres_locate(publishing->host, publishing->table.schema, publishing->table.name, located,
                        err));
    if (!located->is_table)
        return fail(err, STATUS_INVALID, "%s.%s is a view, and has no versions of its own",
                    LOCATED_NAME(located));
    publishing->table = (struct sql_table){slice_of(located->schema), slice_of(located->name)};
    return STATUS_OK;
}

/* A model table may have been copied into a database without the extension, or is
 * read by a role that keeps no models: then there is the current version alone. */
static enum status may_read_kept(const struct publishing *publishing, bool *may, struct error *err)
{
    int64_t answer = 0;

    TRY(first_integer(
        publishing,
        "SELECT pg_catalog.count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON "
        "n.oid" EQ "c.relnamespace WHERE n.nspname" EQ "'totrain' AND c.relname" EQ
        "'versions' AND " EXTENSION_IS_THERE
        " AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND "
        "pg_catalog.has_table_privilege(c.oid, 'SELECT')",
        NULL, 0, &answer, err));
    *may = answer > 0;
    return STATUS_OK;
}

static enum status put_version(void *self, const struct cell *cells, size_t count,
                               struct error *err)
{
    (void)count;
    return version_listing_add(self, &cells[0], &cells[1], &cells[2], err);
}

static enum status list_versions(struct publishing *publishing, const struct sink *sink,
                                 struct error *err)
{
    struct model current;
    struct version_listing listing = {.current = &current, .sink = sink};
    struct database_rows rows = {.self = &listing, .row = put_version};
    struct cell relation;
    bool may_read = false;

    TRY(find_current(publishing, &current, err));
    TRY(may_read_kept(publishing, &may_read, err));
    relation = cell_integer(publishing->located.relation);
    if (may_read)
        TRY(sql_each(publishing->host,
                     "SELECT version, digest, created_at FROM totrain.versions WHERE " RELATION_IS_1
                     " AND part" EQ "'meta' ORDER BY version DESC",
                     NULL, &relation, 1, &rows, err));
    return version_listing_end(&listing, err);
}

enum status postgres_list_versions(void *self, struct slice schema, struct slice name,
                                   const struct sink *sink, struct error *err)
{
    struct publishing publishing = {.host = self, .table = {schema, name}};
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    publishing.arena = &arena;
    status = list_versions(&publishing, sink, err);
    arena_deinit(&arena);
    return status;
}

static enum status put_metric(void *self, const struct cell *cells, size_t count, struct error *err)
{
    return sink_row(self, cells, count, err);
}

enum status postgres_list_metrics(void *self, struct slice schema, struct slice name,
                                  const struct model *model, const struct sink *sink,
                                  struct error *err)
{
    struct publishing publishing = {.host = self, .table = {schema, name}};
    struct database_rows rows = {.self = (void *)sink, .row = put_metric};
    struct cell key[] = {cell_null(), cell_integer(model->version)};
    struct arena arena;
    enum status status;
    bool may_read = false;

    TRY(postgres_locate(self, schema, name, &publishing.located, err));
    key[0] = cell_integer(publishing.located.relation);
    arena_init(&arena, NAMES_ARENA_MAX);
    publishing.arena = &arena;
    status = may_read_kept(&publishing, &may_read, err);
    if (status == STATUS_OK && may_read)
        status = sql_each(self,
                          "SELECT epoch, step, metric, part, value FROM totrain.metrics "
                          "WHERE " RELATION_IS_1 " AND version" EQ "$2 ORDER BY epoch, step, place",
                          NULL, key, 2, &rows, err);
    arena_deinit(&arena);
    return status;
}

/* ----- going back ----- */

struct wanted_version {
    struct slice wanted;
    int64_t version;
    bool is_found;
};

static enum status match_version(void *self, const struct cell *cells, size_t count,
                                 struct error *err)
{
    struct wanted_version *wanted = self;

    (void)count;
    (void)err;
    if (!wanted->is_found && version_is(wanted->wanted, cells[0].integer, cells[1].text)) {
        wanted->is_found = true;
        wanted->version = cells[0].integer;
    }
    return STATUS_OK;
}

static enum status find_version(const struct publishing *publishing, const struct model *current,
                                struct slice text, int64_t *version, struct error *err)
{
    struct wanted_version wanted = {.wanted = text};
    struct database_rows rows = {.self = &wanted, .row = match_version};
    struct cell relation = cell_integer(publishing->located.relation);

    TRY(sql_each(publishing->host,
                 "SELECT version, digest FROM totrain.versions WHERE " RELATION_IS_1 " AND part" EQ
                 "'meta' ORDER BY version DESC",
                 NULL, &relation, 1, &rows, err));
    *version = wanted.version;
    return wanted.is_found ? STATUS_OK : refuse_missing_version(text, current, err);
}

static enum status restore_rows(const struct publishing *publishing, const struct model *current,
                                int64_t version, struct error *err)
{
    struct cell key[] = {cell_integer(publishing->located.relation), cell_integer(version)};

    TRY(keep_current(publishing, current, err));
    TRY(sql_run(publishing->host,
                "INSERT INTO @ (part, name, \"position\", value, data) SELECT part, name, "
                "\"position\", value, data FROM totrain.versions WHERE " RELATION_IS_1
                " AND version" EQ "$2",
                &publishing->table, key, 2, NULL, err));
    TRY(check_written(publishing, version, err));
    return forget(publishing, "version", version, err);
}

static enum status restore_in_transaction(struct publishing *publishing, struct slice wanted,
                                          int64_t *restored, struct error *err)
{
    struct model current, model;

    TRY(pg_lock_model(publishing->host, &publishing->table, err));
    TRY(find_current(publishing, &current, err));
    TRY(find_version(publishing, &current, wanted, restored, err));
    TRY(restore_rows(publishing, &current, *restored, err));
    TRY(postgres_load_meta(publishing->host, publishing->table.schema, publishing->table.name,
                           publishing->arena, &model, err));
    return put_registry(publishing, &model, err);
}

enum status postgres_restore(void *self, struct slice schema, struct slice name,
                             struct slice version, int64_t *restored, struct error *err)
{
    struct sql_host *host = self;
    const struct database *database = host->database;
    struct publishing publishing = {.host = host};
    struct database_transaction transaction;
    struct sql_located located;
    struct arena arena;
    enum status status;

    TRY(postgres_locate(host, schema, name, &located, err));
    if (located.exists) { /* else loading it reports that, with a suggestion */
        const struct table_target target = {.schema = slice_of(located.schema),
                                            .name = slice_of(located.name),
                                            .kind = TARGET_MODEL};

        schema = target.schema;
        name = target.name;
        TRY(postgres_check_target(self, &target, err));
    }
    publishing.table = (struct sql_table){schema, name};
    TRY(database->begin(database->self, &transaction, err));
    arena_init(&arena, ARENA_MAXIMUM);
    publishing.arena = &arena;
    status = restore_in_transaction(&publishing, version, restored, err);
    arena_deinit(&arena);
    return database->end(database->self, &transaction, status, err);
}
