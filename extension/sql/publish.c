#include "extension/sql/publish.h"

#include <stdio.h>

#include "extension/engine/host/stored.h"
#include "extension/sql/models.h"
#include "extension/sql/publish_pieces.h"
#include "extension/sql/sql.h"
#include "extension/sql/write_model.h"

/* One model being written, or its versions read. */
struct publishing {
    struct sql_host *host;
    struct sql_table table;
    struct sql_located located;
    struct arena *arena;
};

/* ----- the SQL of the variant, with a model's facts ----- */

struct facts {
    struct cell cells[MODEL_FACTS];
};

static struct facts facts_of(const struct publishing *publishing, const struct model *model)
{
    const struct sql_variant *variant = publishing->host->variant;

    return (struct facts){{cell_integer(publishing->located.relation), cell_text(model->id),
                           cell_integer(model->version), cell_text(model->digest),
                           cell_text(model->created_at), cell_text(model->estimator),
                           cell_integer((int64_t)model->rows), cell_text(model->statement),
                           cell_text(publishing->table.name),
                           cell_integer(variant->versions_kept ? variant->versions_kept() : 0)}};
}

static enum status run(const struct publishing *publishing, const char *format,
                       const struct model *model, struct error *err)
{
    const struct facts facts = facts_of(publishing, model);

    return sql_run(publishing->host, format, &publishing->table, facts.cells, MODEL_FACTS, NULL,
                   err);
}

static enum status run_all(const struct publishing *publishing, const char *const *formats,
                           const struct model *model, struct error *err)
{
    const struct facts facts = facts_of(publishing, model);

    return sql_run_all(publishing->host, formats, &publishing->table, facts.cells, MODEL_FACTS,
                       err);
}

static enum status ask(const struct publishing *publishing, const char *format,
                       const struct model *model, int64_t *answer, struct error *err)
{
    const struct facts facts = facts_of(publishing, model);

    return sql_integer(publishing->host, format, &publishing->table, facts.cells, MODEL_FACTS,
                       answer, err);
}

static enum status each(const struct publishing *publishing, const char *format,
                        const struct model *model, const struct database_rows *rows,
                        struct error *err)
{
    const struct facts facts = facts_of(publishing, model);

    return sql_each(publishing->host, format, &publishing->table, facts.cells, MODEL_FACTS, rows,
                    err);
}

static enum status load_meta(const struct publishing *publishing, struct model *model,
                             struct error *err)
{
    return sql_load_meta(publishing->host, publishing->table.schema, publishing->table.name,
                         publishing->arena, model, err);
}

static enum status locate(struct publishing *publishing, struct error *err)
{
    return publishing->host->variant->locate(publishing->host, &publishing->table,
                                             &publishing->located, err);
}

static enum status empty(const struct publishing *publishing, struct error *err)
{
    return sql_run(publishing->host, "DELETE FROM @", &publishing->table, NULL, 0, NULL, err);
}

/* The rows of the model in the table become a kept version. */
static enum status keep_current(const struct publishing *publishing, const struct model *current,
                                struct error *err)
{
    const struct sql_variant *variant = publishing->host->variant;

    TRY(run(publishing, variant->forget_version, current, err));
    TRY(run(publishing, variant->keep_version, current, err));
    return empty(publishing, err);
}

/* ----- metrics ----- */

struct metric_insertion {
    struct sql_insertion rows;
    const struct publication *publication;
    struct cell relation;
};

static enum status insert_metric(void *context, uint32_t epoch, uint64_t step, const char *metric,
                                 const char *part, double value, struct error *err)
{
    struct metric_insertion *insertion = context;
    const struct publication *publication = insertion->publication;
    const struct cell cells[] = {insertion->relation,
                                 cell_text(publication->model->id),
                                 cell_integer(publication->model->version),
                                 cell_integer(epoch),
                                 cell_integer((int64_t)step),
                                 cell_string(metric),
                                 cell_string(part),
                                 cell_real(value),
                                 cell_integer(publication->job)};

    return sql_insertion_row(&insertion->rows, cells, err);
}

static enum status insert_metrics(const struct publishing *publishing,
                                  const struct publication *publication, struct error *err)
{
    static const enum cell_type types[] = {CELL_INTEGER, CELL_TEXT,    CELL_INTEGER,
                                           CELL_INTEGER, CELL_INTEGER, CELL_TEXT,
                                           CELL_TEXT,    CELL_REAL,    CELL_INTEGER};
    struct metric_insertion insertion = {.publication = publication,
                                         .relation = cell_integer(publishing->located.relation)};

    if (!publication->store)
        return STATUS_OK;
    TRY(sql_insertion_begin(&insertion.rows, publishing->host,
                            publishing->host->variant->insert_metric, &publishing->table, types, 9,
                            err));
    return sql_insertion_end(
        &insertion.rows, jobstore_each_metric(publication->store, insert_metric, &insertion, err),
        err);
}

/* ----- publishing a trained model ----- */

/* The table is there: its model's id and the version after all that exist. A table that was copied
 * has the id of the other one, which also has its versions: what replaces the copy is a model of
 * its own. */
static enum status succeed_current(const struct publishing *publishing, struct model *model,
                                   struct error *err)
{
    const struct sql_variant *variant = publishing->host->variant;
    const struct table_target target = {.name = publishing->table.name, .kind = TARGET_MODEL};
    struct model current;
    int64_t newest = 0, copies = 0;

    if (publishing->located.is_callers && variant->lock_rows)
        TRY(sql_run(publishing->host, variant->lock_rows, &publishing->table, NULL, 0, NULL, err));
    TRY(variant->check_replaced(publishing->host, &publishing->located, &target, err));
    TRY(load_meta(publishing, &current, err));
    if (variant->prepare_removal)
        TRY(variant->prepare_removal(publishing->host, &publishing->located, err));
    TRY(ask(publishing, variant->count_copies, &current, &copies, err));
    if (copies > 0)
        return empty(publishing, err);
    TRY(ask(publishing, variant->newest_version, &current, &newest, err));
    model->id = current.id;
    model->version = 1 + (newest > current.version ? newest : current.version);
    TRY(keep_current(publishing, &current, err));
    return run_all(publishing, variant->forget_older, &current, err);
}

/* Into the table, which is empty; or where none is there yet, into one that is made. */
static enum status fill_table(struct publishing *publishing, struct pieces *pieces,
                              struct error *err)
{
    struct model_writing all = {.model = pieces->model, .bytes_max = SIZE_MAX};
    bool has_table = publishing->located.exists;

    TRY(pieces_find(pieces, err));
    if (!has_table && !(pieces->is_usable && pieces->is_renamed)) {
        TRY(sql_run_all(publishing->host, publishing->host->variant->make_model, &publishing->table,
                        NULL, 0, err));
        has_table = true;
    }
    TRY(pieces->is_usable ? pieces_take(pieces, has_table, err)
                          : sql_write_model(publishing->host, &publishing->table, &all, err));
    return locate(publishing, err);
}

/* Triggers and rules of the table may leave rows out, change them, or keep the old ones: is the
 * model in the table that was put there? */
static enum status check_written(const struct publishing *publishing, int64_t version,
                                 struct error *err)
{
    const struct sql_variant *variant = publishing->host->variant;
    const struct model of_table = {.version = version};
    int64_t changers = 0;
    enum status status;
    struct arena arena;
    struct model written = {.version = 0};
    struct error reason;

    TRY(ask(publishing, variant->count_row_changers, &of_table, &changers, err));
    if (changers == 0)
        return STATUS_OK;
    arena_init(&arena, ARENA_MAXIMUM);
    status = sql_load_model(publishing->host, publishing->table.schema, publishing->table.name,
                            &arena, &written, &reason);
    arena_deinit(&arena);
    if (status == STATUS_OK && written.version == version)
        return STATUS_OK;
    if (status != STATUS_OK && status != STATUS_CORRUPT)
        return *err = reason, status;
    return variant->refuse_changes(&publishing->located, err);
}

static enum status publish_in_transaction(struct publishing *publishing, struct pieces *pieces,
                                          struct publication *publication, struct error *err)
{
    struct sql_host *host = publishing->host;
    const struct sql_variant *variant = host->variant;
    struct model *model = publication->model;
    bool is_there = false, is_new;

    TRY(sql_lock_model(host, &publishing->table, err));
    if (variant->note_transaction)
        TRY(variant->note_transaction(host, &is_there, err));
    if (is_there) /* with the version that it got then */
        return STATUS_OK;
    TRY(model_stamp(model, publishing->arena, err));
    TRY(sql_run_all(host, variant->make_kept, &publishing->table, NULL, 0, err));
    TRY(locate(publishing, err));
    is_new = !publishing->located.exists;
    if (!is_new)
        TRY(succeed_current(publishing, model, err));
    TRY(fill_table(publishing, pieces, err));
    if (!is_new)
        TRY(check_written(publishing, model->version, err));
    else if (variant->tell_first)
        TRY(variant->tell_first(host, &publishing->located, publication->sink, err));
    TRY(run_all(publishing, variant->put_model, model, err));
    return insert_metrics(publishing, publication, err);
}

enum status sql_write_pieces(struct sql_host *host, struct slice schema, struct slice name,
                             struct publication *publication, struct error *err)
{
    struct sql_table table = {schema, name};
    struct pieces pieces;
    char buffer[SQL_NAME_BYTES];

    TRY(host->variant->choose_schema(host, &table.schema, buffer, err));
    pieces = pieces_of(host, &table, publication->model, publication->sink);
    TRY(pieces_write(&pieces, err));
    publication->has_pieces = pieces.are_written;
    return STATUS_OK;
}

enum status sql_publish(void *self, struct slice schema, struct slice name,
                        struct publication *publication, struct error *err)
{
    struct sql_host *host = self;
    const struct database *database = host->database;
    struct publishing publishing = {.host = host, .table = {schema, name}};
    struct database_transaction transaction;
    struct arena arena;
    struct pieces pieces;
    char buffer[SQL_NAME_BYTES];
    enum status status;

    TRY(host->variant->choose_schema(host, &publishing.table.schema, buffer, err));
    pieces = pieces_of(host, &publishing.table, publication->model, publication->sink);
    pieces.are_written = publication->has_pieces;
    if (!host->publisher[0]) /* else all of them are there, or the model is */
        TRY(pieces_write(&pieces, err));
    TRY(database->begin(database->self, &transaction, err));
    arena_init(&arena, ARENA_MAXIMUM);
    publishing.arena = &arena;
    status = publish_in_transaction(&publishing, &pieces, publication, err);
    status = database->end(database->self, &transaction, status, err);
    if (status == STATUS_OK && host->variant->committed)
        host->variant->committed(host, publishing.table.schema);
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

    TRY(load_meta(publishing, current, err));
    TRY(locate(publishing, err));
    publishing->table = (struct sql_table){slice_of(located->schema), slice_of(located->name)};
    if (located->is_table)
        return STATUS_OK;
    if (publishing->host->variant->names_schemas)
        return fail(err, STATUS_INVALID, "%s.%s is a view, and has no versions of its own",
                    LOCATED_NAME(located));
    return fail(err, STATUS_INVALID, "\"%s\" is a view, and has no versions of its own",
                located->name);
}

/* A model's table may have been copied to where nothing is kept, or is read by a role that keeps no
 * models: then there is the current version alone. */
static enum status may_read_kept(const struct publishing *publishing, const struct model *current,
                                 bool *may, struct error *err)
{
    int64_t answer = 0;

    TRY(ask(publishing, publishing->host->variant->may_read_kept, current, &answer, err));
    *may = answer > 0;
    return STATUS_OK;
}

static enum status put_version(void *self, const struct cell *cells, size_t count,
                               struct error *err)
{
    (void)count;
    return version_listing_add(self, &cells[0], &cells[1], &cells[2], &cells[3], err);
}

static enum status list_versions(struct publishing *publishing, const struct sink *sink,
                                 struct error *err)
{
    struct model current;
    struct version_listing listing = {.current = &current, .sink = sink};
    const struct database_rows rows = {.self = &listing, .row = put_version};
    bool may_read = false;

    TRY(find_current(publishing, &current, err));
    TRY(may_read_kept(publishing, &current, &may_read, err));
    if (may_read)
        TRY(each(publishing, publishing->host->variant->list_versions, &current, &rows, err));
    return version_listing_end(&listing, err);
}

enum status sql_list_versions(void *self, struct slice schema, struct slice name,
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

enum status sql_list_metrics(void *self, struct slice schema, struct slice name,
                             const struct model *model, const struct sink *sink, struct error *err)
{
    struct publishing publishing = {.host = self, .table = {schema, name}};
    const struct database_rows rows = {.self = (void *)sink, .row = put_metric};
    bool may_read = false;

    TRY(locate(&publishing, err));
    publishing.table.schema = slice_of(publishing.located.schema);
    TRY(may_read_kept(&publishing, model, &may_read, err));
    return may_read ? each(&publishing, publishing.host->variant->list_metrics, model, &rows, err)
                    : STATUS_OK;
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
    const struct database_rows rows = {.self = &wanted, .row = match_version};

    TRY(each(publishing, publishing->host->variant->list_versions, current, &rows, err));
    *version = wanted.version;
    return wanted.is_found ? STATUS_OK : refuse_missing_version(text, current, err);
}

static enum status restore_in_transaction(struct publishing *publishing, struct slice text,
                                          int64_t *restored, struct error *err)
{
    const struct sql_variant *variant = publishing->host->variant;
    struct model current, wanted, model;

    TRY(sql_lock_model(publishing->host, &publishing->table, err));
    TRY(find_current(publishing, &current, err));
    TRY(sql_run_all(publishing->host, variant->make_kept, &publishing->table, NULL, 0, err));
    TRY(find_version(publishing, &current, text, restored, err));
    TRY(keep_current(publishing, &current, err));
    wanted = current;
    wanted.version = *restored;
    TRY(run(publishing, variant->restore_version, &wanted, err));
    TRY(check_written(publishing, *restored, err));
    TRY(run(publishing, variant->forget_version, &wanted, err));
    TRY(load_meta(publishing, &model, err));
    return run_all(publishing, variant->put_model, &model, err);
}

enum status sql_restore(void *self, struct slice schema, struct slice name, struct slice version,
                        int64_t *restored, struct error *err)
{
    struct sql_host *host = self;
    const struct database *database = host->database;
    struct publishing publishing = {.host = host, .table = {schema, name}};
    struct database_transaction transaction;
    struct sql_located found;
    struct arena arena;
    enum status status;

    TRY(host->variant->locate(host, &publishing.table, &found, err));
    if (found.exists) { /* else loading it reports that, with a suggestion */
        const struct table_target target = {
            .schema = slice_of(found.schema), .name = slice_of(found.name), .kind = TARGET_MODEL};

        publishing.table = (struct sql_table){target.schema, target.name};
        TRY(host->variant->check_target(self, &target, err));
    }
    TRY(database->begin(database->self, &transaction, err));
    arena_init(&arena, ARENA_MAXIMUM);
    publishing.arena = &arena;
    status = restore_in_transaction(&publishing, version, restored, err);
    arena_deinit(&arena);
    return database->end(database->self, &transaction, status, err);
}
