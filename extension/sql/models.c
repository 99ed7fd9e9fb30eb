#include "extension/sql/models.h"

#include <stdio.h>
#include <string.h>

#include "extension/engine/host/stored.h"
#include "extension/sql/listing.h"
#include "extension/sql/sql.h"
#include "kinds/forecast/forecast_one.h"
#include "kinds/kinds.h"
#include "scoring/tables/model_table.h"

struct slice sql_shown_name(const struct sql_host *host, const struct sql_table *table,
                            char buffer[SHOWN_NAME_BYTES])
{
    if (table->schema.size == 0 || !host->variant->names_schemas)
        return table->name;
    snprintf(buffer, SHOWN_NAME_BYTES, "%.*s.%.*s", SLICE_FORMAT(table->schema),
             SLICE_FORMAT(table->name));
    return slice_of(buffer);
}

/* ----- all models ----- */

static enum status not_found(struct sql_host *host, const struct sql_table *table,
                             struct error *err)
{
    struct model_names names = {.count = 0};
    struct listing listing;
    struct error ignored;
    int nearest;

    (void)sql_list_tables(host, &listing, &ignored);
    for (size_t i = 0; i < listing.count; i++)
        if (model_names_add(&names, listing.listed[i].table.name, &ignored) != STATUS_OK)
            break;
    refuse_missing_model(table->name, &names, err);
    if (table->schema.size > 0 && host->variant->names_schemas)
        snprintf(err->message, sizeof err->message, "there is no model \"%.*s.%.*s\"",
                 SLICE_FORMAT(table->schema), SLICE_FORMAT(table->name));
    nearest = text_nearest(table->name, (const char *const *)names.names, names.count);
    if (nearest >= 0 && host->variant->hint_model)
        host->variant->hint_model(table->name, slice_of(names.names[nearest]),
                                  listing.listed[nearest].shown, err);
    model_names_free(&names);
    arena_deinit(&listing.arena);
    return STATUS_NOT_FOUND;
}

/* ----- one model ----- */

/* A view with a model's columns serves as well. */
static enum status find_rows(struct sql_host *host, const struct sql_table *table,
                             struct sql_located *located, struct error *err)
{
    char shown[SHOWN_NAME_BYTES];

    *located = (struct sql_located){.relation = host->relation};
    if (host->relation != 0)
        return STATUS_OK;
    TRY(host->variant->locate(host, table, located, err));
    if (!located->exists)
        return not_found(host, table, err);
    return located->has_columns ? STATUS_OK
                                : refuse_no_model(sql_shown_name(host, table, shown), err);
}

/* wanted: but for the table. */
static enum status read_wanted(struct sql_host *host, const struct sql_table *table,
                               const struct model_read *wanted, const struct database_rows *rows,
                               struct error *err)
{
    struct model_read read = *wanted;
    struct sql_located located;
    char shown[SHOWN_NAME_BYTES];

    TRY(find_rows(host, table, &located, err));
    read.relation = (uint32_t)located.relation;
    read.table = (struct sql_table){slice_of(located.schema), table->name};
    return name_damaged_model(sql_shown_name(host, table, shown),
                              host->database->read_model(host->database->self, &read, rows, err),
                              err);
}

static enum status read_rows(struct sql_host *host, const struct sql_table *table, bool only_meta,
                             const struct database_rows *rows, struct error *err)
{
    return read_wanted(host, table, &(struct model_read){.only_meta = only_meta}, rows, err);
}

static bool has_bytes(const struct cell *cell)
{
    return cell->type == CELL_TEXT || cell->type == CELL_BLOB;
}

struct giving {
    model_row_sink *each;
    void *context;
};

/* A cell of another type than the column's is taken for none. */
static enum status give_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    const struct giving *giving = self;
    struct model_row row = {.has_data = has_bytes(&cells[4]),
                            .data_is_text = cells[4].type == CELL_TEXT};

    (void)count;
    if (has_bytes(&cells[0]))
        row.part = cells[0].text;
    if (has_bytes(&cells[1]))
        row.name = cells[1].text;
    if (cells[2].type == CELL_INTEGER)
        row.position = cells[2].integer;
    row.has_value = cells[3].type == CELL_REAL || cells[3].type == CELL_INTEGER;
    if (row.has_value)
        row.value = cells[3].type == CELL_REAL ? cells[3].real : (double)cells[3].integer;
    if (row.has_data)
        row.data = cells[4].text;
    return giving->each(giving->context, &row, err);
}

enum status sql_each_model_row(void *self, struct slice schema, struct slice name, bool only_meta,
                               model_row_sink *each, void *context, struct error *err)
{
    const struct sql_table table = {schema, name};
    struct giving giving = {each, context};
    const struct database_rows rows = {.self = &giving, .row = give_row};

    return read_rows(self, &table, only_meta, &rows, err);
}

enum status sql_load_model(void *self, struct slice schema, struct slice name, struct arena *arena,
                           struct model *model, struct error *err)
{
    const struct sql_table table = {schema, name};
    struct model_reader *reader;
    char shown[SHOWN_NAME_BYTES];
    enum status status;

    TRY(model_reader_new(kinds, arena, &reader, err));
    status = sql_each_model_row(self, schema, name, false, model_reader_take, reader, err);
    if (status == STATUS_OK)
        status = name_damaged_model(sql_shown_name(self, &table, shown),
                                    model_reader_finish(reader, model, err), err);
    model_reader_free(reader);
    return status;
}

/* ----- one series of a forecast ----- */

struct series_source {
    struct sql_host *host;
    struct sql_table table;
    struct arena *arena;
    struct slice meta; /* in the arena */
};

static enum status fetch(void *self, const struct model_wish *wish, model_row_sink *sink,
                         void *context, struct error *err)
{
    const struct series_source *source = self;
    const struct model_read wanted = {.part = wish->part,
                                      .name = wish->name,
                                      .data = wish->data,
                                      .first = wish->first,
                                      .end = wish->end};
    struct giving giving = {sink, context};
    const struct database_rows rows = {.self = &giving, .row = give_row};

    return read_wanted(source->host, &source->table, &wanted, &rows, err);
}

static enum status keep_meta(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct series_source *source = self;

    (void)count;
    if (source->meta.data || !has_bytes(&cells[4]))
        return STATUS_OK;
    source->meta = arena_copy(source->arena, cells[4].text);
    return source->meta.data ? STATUS_OK : fail_no_memory(err);
}

enum status sql_load_series(struct sql_host *host, struct slice schema, struct slice name,
                            struct slice series, struct arena *arena, struct model *model,
                            bool *is_there, struct error *err)
{
    struct series_source source = {.host = host, .table = {schema, name}, .arena = arena};
    const struct database_rows rows = {.self = &source, .row = keep_meta};

    TRY(read_rows(host, &source.table, true, &rows, err));
    return forecast_one_load(source.meta, series, fetch, &source, arena, model, is_there, err);
}

struct meta {
    struct arena *arena;
    struct model *model;
    bool found;
};

static enum status read_meta(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct meta *meta = self;

    (void)count;
    if (meta->found)
        return STATUS_OK;
    meta->found = true;
    return model_read_meta(has_bytes(&cells[4]) ? cells[4].text : (struct slice){NULL, 0}, kinds,
                           meta->arena, meta->model, err);
}

enum status sql_load_meta(void *self, struct slice schema, struct slice name, struct arena *arena,
                          struct model *model, struct error *err)
{
    const struct sql_table table = {schema, name};
    struct meta meta = {arena, model, false};
    const struct database_rows rows = {.self = &meta, .row = read_meta};
    char shown[SHOWN_NAME_BYTES];

    TRY(read_rows(self, &table, true, &rows, err));
    return meta.found ? STATUS_OK : refuse_no_model(sql_shown_name(self, &table, shown), err);
}

enum status sql_is_model(struct sql_host *host, const struct sql_located *located, bool *result,
                         struct error *err)
{
    struct arena arena;
    struct error reason;
    struct model model;
    enum status status;

    *result = false;
    if (!located->has_columns)
        return STATUS_OK;
    arena_init(&arena, ARENA_MAXIMUM);
    status = sql_load_meta(host, slice_of(located->schema), slice_of(located->name), &arena, &model,
                           &reason);
    arena_deinit(&arena);
    *result = status == STATUS_OK;
    if (status == STATUS_OK || status == STATUS_CORRUPT)
        return STATUS_OK;
    *err = reason;
    return status;
}

enum status sql_find_model(void *self, struct slice schema, struct slice name, struct arena *arena,
                           struct model_summary *summary, struct error *err)
{
    struct sql_host *host = self;
    struct model model;

    TRY(sql_load_meta(self, schema, name, arena, &model, err));
    TRY(model_summarise(&model, arena, summary, err));
    return host->variant->check_label_type
               ? host->variant->check_label_type(host, model.label_declared, arena,
                                                 &summary->label_declared, err)
               : STATUS_OK;
}

/* ----- SHOW MODELS ----- */

static enum status load_listed(struct sql_host *host, const struct listed *listed,
                               struct arena *arena, struct model *model, struct error *err)
{
    struct meta meta = {arena, model, false};
    const struct database_rows rows = {.self = &meta, .row = read_meta};

    TRY(name_damaged_model(listed->table.name, sql_read_listed(host, listed, true, &rows, err),
                           err));
    return meta.found ? STATUS_OK : refuse_no_model(listed->table.name, err);
}

static enum status measure(struct sql_host *host, const struct listed *listed,
                           const struct model *model, struct model_sizes *sizes, struct error *err)
{
    const struct cell facts[] = {cell_integer(listed->relation), cell_text(model->id)};
    struct cell cells[3];
    bool found;

    TRY(sql_first_of(host, host->variant->table_bytes, &listed->table, facts, 2, NULL, cells, 3,
                     &found, err));
    if (!found)
        return STATUS_OK;
    sizes->table = cells[0];
    sizes->kept = cells[2];
    return cell_is_true(&cells[1]) ? sql_first_of(host, host->variant->kept_bytes, &listed->table,
                                                  facts, 2, NULL, &sizes->kept, 1, &found, err)
                                   : STATUS_OK;
}

/* A table that only looks like a model is not listed, nor one that was dropped meanwhile. One that
 * this version or this role cannot read, or that is locked, is listed as unreadable, and the others
 * are listed all the same. */
static enum status put_listed(struct sql_host *host, const struct listed *listed, bool measures,
                              const struct sink *sink, struct error *err)
{
    struct model_sizes sizes = {cell_null(), cell_null()};
    struct arena arena;
    struct model model;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    status = load_listed(host, listed, &arena, &model, err);
    switch (status) {
    case STATUS_OK:
        if (measures)
            status = measure(host, listed, &model, &sizes, err);
        if (status == STATUS_OK)
            status = put_model(&model, listed->shown, &sizes, sink, err);
        break;
    case STATUS_CORRUPT:
    case STATUS_NOT_FOUND:
        status = STATUS_OK;
        break;
    case STATUS_BUSY:
    case STATUS_UNSUPPORTED:
    case STATUS_PERMISSION:
        status = put_unreadable_model(listed->shown, err->message, sink, err);
        break;
    default:
        break;
    }
    arena_deinit(&arena);
    return status;
}

enum status sql_is_callers_model(void *self, struct slice schema, struct slice name,
                                 bool *is_callers, struct error *err)
{
    struct sql_host *host = self;
    const struct sql_table table = {schema, name};
    struct sql_located located = {.exists = false};

    TRY(host->variant->locate(host, &table, &located, err));
    *is_callers = !located.exists || located.is_callers;
    return STATUS_OK;
}

enum status sql_list_models(void *self, bool sizes, const struct sink *sink, struct error *err)
{
    struct listing listing;
    enum status status = sql_list_tables(self, &listing, err);

    for (size_t i = 0; i < listing.count && status == STATUS_OK; i++)
        status = put_listed(self, &listing.listed[i], sizes, sink, err);
    arena_deinit(&listing.arena);
    return status;
}
