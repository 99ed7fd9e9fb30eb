#include "extension/postgres/sql/models.h"

#include <stdio.h>
#include <string.h>

#include "extension/engine/host/stored.h"
#include "extension/postgres/sql/sql.h"
#include "extension/sql/sql.h"
#include "kinds/kinds.h"
#include "scoring/model_table.h"

#define NAMES_ARENA_MAX ((size_t)1 << 20) /* of catalog rows: a few names each */

/* "name type-OID" of each column: text, text, int8, float8, bytea. */
#define MODEL_COLUMNS "data 17,name 25,part 25,position 20,value 701"

#define COLUMNS_OF_RELATION                                                                        \
    "(SELECT pg_catalog.string_agg(pg_catalog.concat(a.attname, ' ', a.atttypid), ',' "            \
    "ORDER BY a.attname) FROM pg_catalog.pg_attribute a WHERE a.attrelid" EQ                       \
    "c.oid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped)"

static void copy_name(char to[64], const struct cell *cell)
{
    snprintf(to, 64, "%.*s", SLICE_FORMAT(cell->text));
}

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
    copy_name(located->schema, &cells[2]);
    copy_name(located->name, &cells[3]);
    located->is_ours = cell_is_true(&cells[4]);
    located->is_callers = cell_is_true(&cells[6]);
    located->has_columns = cells[5].type == CELL_TEXT && slice_is(cells[5].text, MODEL_COLUMNS);
    return STATUS_OK;
}

enum status postgres_locate(struct sql_host *host, struct slice schema, struct slice name,
                            struct sql_located *located, struct error *err)
{
    const struct sql_table table = {schema, name};
    struct arena arena;
    struct text path;
    enum status status;

    *located = (struct sql_located){0};
    text_init(&path, TEXT_MAXIMUM);
    sql_append(&path, "@", &table);
    arena_init(&arena, NAMES_ARENA_MAX);
    status = path.failed ? fail_no_memory(err)
                         : locate_path(host, text_slice(&path), &arena, located, err);
    arena_deinit(&arena);
    text_deinit(&path);
    return status;
}

struct slice postgres_shown_name(struct slice schema, struct slice name,
                                 char buffer[PG_SHOWN_BYTES])
{
    if (schema.size == 0)
        return name;
    snprintf(buffer, PG_SHOWN_BYTES, "%.*s.%.*s", SLICE_FORMAT(schema), SLICE_FORMAT(name));
    return slice_of(buffer);
}

/* The temporary schema of a session has no such name in pg_namespace. */
bool postgres_has_schema(void *self, struct slice schema)
{
    struct cell key = {.type = CELL_TEXT, .text = schema}, answer;
    struct arena arena;
    struct error ignored;
    bool found = false;
    enum status status;

    if (slice_is(schema, "pg_temp"))
        return true;
    arena_init(&arena, NAMES_ARENA_MAX);
    status = sql_first(self, "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname" EQ "$1", &key, 1,
                       &arena, &answer, 1, &found, &ignored);
    arena_deinit(&arena);
    return status != STATUS_OK || found; /* a statement that uses it will report what is wrong */
}

/* ----- all models ----- */

/* The model tables that the caller may read, as they would be written here. Without those
 * that row security guards: they are not read. */
static const char models_query[] =
    "SELECT c.oid, c.relname, CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN "
    "pg_catalog.quote_ident(c.relname) ELSE pg_catalog.format('%I.%I', n.nspname, c.relname) END "
    "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" EQ
    "c.relnamespace WHERE c.relkind" EQ "'r' AND c.relnatts OPERATOR(pg_catalog.>=) 5 "
    "AND NOT pg_catalog.pg_is_other_temp_schema(n.oid) "
    "AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') "
    "AND pg_catalog.has_table_privilege(c.oid, 'SELECT') "
    "AND NOT pg_catalog.row_security_active(c.oid) "
    "AND " COLUMNS_OF_RELATION EQ "'" MODEL_COLUMNS "' ORDER BY n.nspname, c.relname";

/* The names of models as they are called, and as they would be written here. */
struct known_models {
    struct model_names names, shown;
};

static enum status keep_model_name(void *self, const struct cell *cells, size_t count,
                                   struct error *err)
{
    struct known_models *known = self;

    if (count != 3)
        return STATUS_OK;
    TRY(model_names_add(&known->names, cells[1].text, err));
    return model_names_add(&known->shown, cells[2].text, err);
}

/* The schema is named, too: a view or a dump is read along another search_path than it was made. */
static void hint_known_model(struct slice name, const struct known_models *known, struct error *err)
{
    const int nearest =
        text_nearest(name, (const char *const *)known->names.names, known->names.count);

    if (nearest < 0 || (size_t)nearest >= known->shown.count)
        return;
    if (slice_is(name, known->names.names[nearest]))
        error_hint(err,
                   "Did you mean %s? A name without a schema is looked up along the search_path of "
                   "whoever reads it, also in a view.",
                   known->shown.names[nearest]);
    else
        error_hint(err, "Did you mean %s?", known->shown.names[nearest]);
}

static enum status not_found(struct sql_host *host, struct slice schema, struct slice name,
                             struct error *err)
{
    struct known_models known = {.names.count = 0};
    struct database_rows rows = {.self = &known, .row = keep_model_name};
    struct error ignored;

    sql_each(host, models_query, NULL, NULL, 0, &rows, &ignored);
    refuse_missing_model(name, &known.names, err);
    if (schema.size > 0)
        snprintf(err->message, sizeof err->message, "there is no model \"%.*s.%.*s\"",
                 SLICE_FORMAT(schema), SLICE_FORMAT(name));
    hint_known_model(name, &known, err);
    model_names_free(&known.names);
    model_names_free(&known.shown);
    return STATUS_NOT_FOUND;
}

/* ----- one model ----- */

/* The schema in which a model of this name is to be read. A view with a model's
 * columns serves as well. */
static enum status locate_model(struct sql_host *host, struct slice schema, struct slice name,
                                struct sql_located *located, struct error *err)
{
    char shown[PG_SHOWN_BYTES];

    if (host->relation != 0) {
        *located = (struct sql_located){.relation = host->relation};
        return STATUS_OK;
    }
    TRY(postgres_locate(host, schema, name, located, err));
    if (!located->exists)
        return not_found(host, schema, name, err);
    return located->has_columns ? STATUS_OK
                                : refuse_no_model(postgres_shown_name(schema, name, shown), err);
}

/* Who gets a model's rows. */
struct giving {
    model_row_sink *each;
    void *context;
};

static enum status give_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    const struct giving *giving = self;
    struct model_row row = {.has_value = cells[3].type == CELL_REAL,
                            .value = cells[3].type == CELL_REAL ? cells[3].real : 0,
                            .has_data = cells[4].type == CELL_BLOB};

    (void)count;
    if (cells[0].type == CELL_TEXT)
        row.part = cells[0].text;
    if (cells[1].type == CELL_TEXT)
        row.name = cells[1].text;
    if (cells[2].type == CELL_INTEGER)
        row.position = cells[2].integer;
    if (row.has_data)
        row.data = cells[4].text;
    return giving->each(giving->context, &row, err);
}

enum status postgres_each_model_row(void *self, struct slice schema, struct slice name,
                                    bool only_meta, model_row_sink *each, void *context,
                                    struct error *err)
{
    struct sql_host *host = self;
    struct giving giving = {each, context};
    const struct database_rows rows = {.self = &giving, .row = give_row};
    struct model_read read = {.only_meta = only_meta};
    struct sql_located located;
    char shown[PG_SHOWN_BYTES];

    TRY(locate_model(host, schema, name, &located, err));
    read.relation = (uint32_t)located.relation;
    return name_damaged_model(postgres_shown_name(schema, name, shown),
                              host->database->read_model(host->database->self, &read, &rows, err),
                              err);
}

enum status postgres_load_model(void *self, struct slice schema, struct slice name,
                                struct arena *arena, struct model *model, struct error *err)
{
    struct model_reader *reader;
    char shown[PG_SHOWN_BYTES];
    enum status status;

    TRY(model_reader_new(kinds, arena, &reader, err));
    status = postgres_each_model_row(self, schema, name, false, model_reader_take, reader, err);
    if (status == STATUS_OK)
        status = name_damaged_model(postgres_shown_name(schema, name, shown),
                                    model_reader_finish(reader, model, err), err);
    model_reader_free(reader);
    return status;
}

struct meta {
    struct arena *arena;
    struct model *model;
    bool found;
};

static enum status read_meta(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct meta *meta = self;
    struct slice json = {NULL, 0};

    (void)count;
    if (meta->found)
        return STATUS_OK;
    meta->found = true;
    if (cells[4].type == CELL_BLOB)
        json = cells[4].text;
    return model_read_meta(json, kinds, meta->arena, meta->model, err);
}

static enum status load_meta_of(struct sql_host *host, const struct model_read *read,
                                struct slice name, struct arena *arena, struct model *model,
                                struct error *err)
{
    struct meta meta = {arena, model, false};
    struct database_rows rows = {.self = &meta, .row = read_meta};

    TRY(name_damaged_model(name, host->database->read_model(host->database->self, read, &rows, err),
                           err));
    return meta.found ? STATUS_OK : refuse_no_model(name, err);
}

enum status postgres_load_meta(void *self, struct slice schema, struct slice name,
                               struct arena *arena, struct model *model, struct error *err)
{
    struct sql_host *host = self;
    struct model_read read = {.only_meta = true};
    struct sql_located located;
    char shown[PG_SHOWN_BYTES];

    TRY(locate_model(host, schema, name, &located, err));
    read.relation = (uint32_t)located.relation;
    return load_meta_of(host, &read, postgres_shown_name(schema, name, shown), arena, model, err);
}

#define IS_TRUSTED(owner)                                                                          \
    "(pg_catalog.pg_get_userbyid(" owner ")" EQ "current_user OR EXISTS (SELECT FROM "             \
    "pg_catalog.pg_roles r WHERE r.oid" EQ owner " AND r.rolsuper))"

/* A model's rows are not trusted: a name in them is a type only where the catalog has one of
 * exactly this name, whose input function is PostgreSQL's own. */
static enum status check_label_type(struct sql_host *host, struct slice name, struct arena *arena,
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

enum status postgres_find_model(void *self, struct slice schema, struct slice name,
                                struct arena *arena, struct model_summary *summary,
                                struct error *err)
{
    struct model model;

    TRY(postgres_load_meta(self, schema, name, arena, &model, err));
    TRY(model_summarise(&model, arena, summary, err));
    return check_label_type(self, model.label_declared, arena, &summary->label_declared, err);
}

/* ----- SHOW MODELS ----- */

struct listed {
    uint32_t relation;
    struct slice name, shown;
};

/* One statement at a time: the names first, then the models. */
struct listing {
    struct arena arena;
    struct listed *listed;
    size_t count, capacity;
};

static enum status make_room(struct listing *listing, struct error *err)
{
    const size_t capacity = listing->capacity ? 2 * listing->capacity : 64;
    struct listed *more;

    if (listing->count < listing->capacity)
        return STATUS_OK;
    more = ARENA_NEW(&listing->arena, struct listed, capacity);
    if (!more)
        return fail_no_memory(err);
    if (listing->count > 0)
        memcpy(more, listing->listed, listing->count * sizeof *more);
    listing->listed = more;
    listing->capacity = capacity;
    return STATUS_OK;
}

static enum status keep_listed(void *self, const struct cell *cells, size_t count,
                               struct error *err)
{
    struct listing *listing = self;
    struct listed *listed;

    if (count != 3)
        return STATUS_OK;
    TRY(make_room(listing, err));
    listed = &listing->listed[listing->count];
    listed->relation = (uint32_t)cells[0].integer;
    listed->name = arena_copy(&listing->arena, cells[1].text);
    listed->shown = arena_copy(&listing->arena, cells[2].text);
    if (!listed->name.data || !listed->shown.data)
        return fail_no_memory(err);
    listing->count++;
    return STATUS_OK;
}

/* A connection's transaction would be lost with an error: a savepoint keeps it. */
static enum status load_listed(struct sql_host *host, const struct listed *listed,
                               struct arena *arena, struct model *model, struct error *err)
{
    const struct model_read read = {listed->relation, .only_meta = true, .at_once = true};
    const struct database *database = host->database;
    struct database_transaction transaction;

    TRY(database->begin(database->self, &transaction, err));
    return database->end(database->self, &transaction,
                         load_meta_of(host, &read, listed->name, arena, model, err), err);
}

/* The kept rows are its owner's to see. */
static enum status measure(struct sql_host *host, uint32_t relation, struct model_sizes *sizes,
                           struct error *err)
{
    const struct cell key = cell_integer(relation);
    struct cell cells[2];
    struct arena arena;
    enum status status;
    bool found = false;

    arena_init(&arena, NAMES_ARENA_MAX);
    status = sql_first(host,
                       "SELECT pg_catalog.pg_total_relation_size(c.oid), " EXTENSION_IS_THERE
                       " AND pg_catalog.pg_has_role(c.relowner, 'USAGE') AND "
                       "pg_catalog.has_table_privilege(v.oid, 'SELECT') FROM pg_catalog.pg_class c "
                       "LEFT JOIN (pg_catalog.pg_class v JOIN pg_catalog.pg_namespace n ON n.oid" EQ
                       "v.relnamespace AND n.nspname" EQ "'totrain') ON v.relname" EQ
                       "'versions' WHERE c.oid" EQ "$1::pg_catalog.oid",
                       &key, 1, &arena, cells, 2, &found, err);
    if (status == STATUS_OK && found) {
        sizes->table = cells[0];
        found = cell_is_true(&cells[1]);
    }
    if (status == STATUS_OK && found) {
        status = sql_first(host,
                           "SELECT coalesce(pg_catalog.sum(pg_catalog.octet_length(v.data)), "
                           "0)::pg_catalog.int8 FROM totrain.versions v WHERE v.relation" EQ
                           "$1::pg_catalog.oid",
                           &key, 1, &arena, cells, 1, &found, err);
        sizes->kept = cells[0];
    }
    arena_deinit(&arena);
    return status;
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
            status = measure(host, listed->relation, &sizes, err);
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

enum status postgres_list_models(void *self, bool sizes, const struct sink *sink, struct error *err)
{
    struct listing listing = {.count = 0};
    struct database_rows rows = {.self = &listing, .row = keep_listed};
    enum status status;

    arena_init(&listing.arena, ARENA_MAXIMUM);
    status = sql_each(self, models_query, NULL, NULL, 0, &rows, err);
    for (size_t i = 0; i < listing.count && status == STATUS_OK; i++)
        status = put_listed(self, &listing.listed[i], sizes, sink, err);
    arena_deinit(&listing.arena);
    return status;
}
