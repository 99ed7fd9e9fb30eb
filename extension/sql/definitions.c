#include "extension/sql/definitions.h"

#include "definition/definition.h"
#include "definition/zoo.h"
#include "extension/engine/host/stored.h"
#include "extension/sql/listing.h"
#include "extension/sql/models.h"
#include "extension/sql/sql.h"
#include "extension/sql/write_model.h"

/* ----- reading ----- */

struct reading {
    struct arena *arena;
    struct stored_definition *stored;
};

static bool is_text(const struct cell *cell)
{
    return cell->type == CELL_TEXT || cell->type == CELL_BLOB;
}

/* Rows of another kind belong to a table that only looks like a definition. */
static enum status take_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct reading *reading = self;
    struct slice *kept = NULL;

    if (count != 5 || !is_text(&cells[0]) || !is_text(&cells[4]) ||
        cells[4].text.size > DEFINITION_STATEMENT_MAX)
        return STATUS_OK;
    if (slice_is(cells[0].text, "definition")) {
        kept = &reading->stored->statement;
        reading->stored->version = cells[2].type == CELL_INTEGER ? cells[2].integer : 1;
    } else if (slice_is(cells[0].text, "created_at")) {
        kept = &reading->stored->created_at;
    }
    if (!kept)
        return STATUS_OK;
    *kept = arena_copy(reading->arena, cells[4].text);
    return kept->data ? STATUS_OK : fail_no_memory(err);
}

static enum status refuse_other_table(struct slice name, struct error *err)
{
    return fail(err, STATUS_CORRUPT, "table \"%.*s\" is no definition", SLICE_FORMAT(name));
}

static bool is_of_zoo(struct slice name)
{
    const struct slice folder = SLICE(DEFINITION_FOLDER);

    return name.size > folder.size && slice_equal((struct slice){name.data, folder.size}, folder);
}

static enum status refuse_missing(struct sql_host *host, struct slice name, struct error *err)
{
    struct model_names names = {.count = 0};
    struct listing listing;
    struct error ignored;
    int nearest;

    (void)sql_list_tables(host, &listing, &ignored);
    for (const struct zoo_definition *zoo = zoo_definitions; zoo->name; zoo++)
        (void)model_names_add(&names, slice_of(zoo->name), &ignored);
    for (size_t i = 0; i < listing.count; i++)
        if (is_of_zoo(listing.listed[i].table.name))
            (void)model_names_add(&names, listing.listed[i].table.name, &ignored);
    nearest = text_nearest(name, (const char *const *)names.names, names.count);
    fail(err, STATUS_NOT_FOUND, "there is no definition \"%.*s\"", SLICE_FORMAT(name));
    if (nearest >= 0)
        error_hint(err, "Did you mean %s?", names.names[nearest]);
    else
        error_hint(err, "SHOW DEFINITIONS; lists the definitions.");
    model_names_free(&names);
    arena_deinit(&listing.arena);
    return STATUS_NOT_FOUND;
}

static enum status locate(struct sql_host *host, const struct sql_table *table,
                          struct sql_located *located, struct error *err)
{
    TRY(host->variant->locate(host, table, located, err));
    if (!located->exists)
        return refuse_missing(host, table->name, err);
    return located->has_columns ? STATUS_OK : refuse_other_table(table->name, err);
}

static enum status read(struct sql_host *host, const struct sql_located *located,
                        struct arena *arena, struct stored_definition *stored, struct error *err)
{
    struct reading reading = {arena, stored};
    const struct database_rows rows = {.self = &reading, .row = take_row};
    const struct model_read order = {
        .relation = (uint32_t)located->relation,
        .table = {slice_of(located->schema), slice_of(located->name)},
    };

    *stored = (struct stored_definition){.version = 0};
    TRY(host->database->read_model(host->database->self, &order, &rows, err));
    return stored->statement.size > 0 ? STATUS_OK
                                      : refuse_other_table(slice_of(located->name), err);
}

enum status sql_find_definition(void *self, struct slice schema, struct slice name,
                                struct arena *arena, struct stored_definition *stored,
                                struct error *err)
{
    const struct sql_table table = {schema, name};
    struct sql_located located;

    TRY(locate(self, &table, &located, err));
    return read(self, &located, arena, stored, err);
}

/* ----- writing ----- */

static enum status insert(struct sql_host *host, const struct sql_table *table, const char *part,
                          int64_t version, struct slice data, struct error *err)
{
    const struct cell text = {.type = host->variant->keeps_texts ? CELL_TEXT : CELL_BLOB,
                              .text = data};
    const struct cell cells[] = {cell_string(part), cell_text(table->name), cell_integer(version),
                                 cell_real(0), text};

    return sql_run(host, host->variant->insert_row, table, cells, 5, NULL, err);
}

/* The rows are those that were written: a trigger of the table may have changed them. */
static enum status check_written(struct sql_host *host, const struct sql_table *table,
                                 const struct definition *definition, struct arena *arena,
                                 struct error *err)
{
    struct stored_definition written;
    struct sql_located located;

    TRY(locate(host, table, &located, err));
    TRY(read(host, &located, arena, &written, err));
    return slice_equal(written.statement, definition->statement)
               ? STATUS_OK
               : host->variant->refuse_changes(&located, err);
}

/* The table is there: *version becomes that behind the present one, and its rows go. */
static enum status succeed(struct sql_host *host, const struct sql_table *table,
                           const struct sql_located *located, bool replaces, struct arena *arena,
                           int64_t *version, struct error *err)
{
    const struct table_target target = {.name = table->name, .kind = TARGET_DEFINITION};
    struct stored_definition stored;

    if (!located->has_columns)
        return refuse_other_table(table->name, err);
    TRY(read(host, located, arena, &stored, err));
    if (!replaces) {
        fail(err, STATUS_INVALID, "there is a definition \"%.*s\" already",
             SLICE_FORMAT(table->name));
        return error_hint(err, "DEFINE OR REPLACE MODEL %.*s ... puts another in its place.",
                          SLICE_FORMAT(table->name));
    }
    TRY(host->variant->check_replaced(host, located, &target, err));
    if (host->variant->prepare_removal)
        TRY(host->variant->prepare_removal(host, located, err));
    *version = stored.version + 1;
    return sql_run(host, "DELETE FROM @", table, NULL, 0, NULL, err);
}

static enum status write_in_transaction(struct sql_host *host, const struct sql_table *table,
                                        const struct definition *definition, bool replaces,
                                        struct arena *arena, int64_t *version, struct error *err)
{
    struct sql_located located;
    char now[STORED_TIME_BYTES];

    *version = 1;
    stored_now(now);
    TRY(sql_lock_model(host, table, err));
    TRY(host->variant->locate(host, table, &located, err));
    if (located.exists)
        TRY(succeed(host, table, &located, replaces, arena, version, err));
    else
        TRY(sql_run_all(host, host->variant->make_model, table, NULL, 0, err));
    TRY(insert(host, table, "definition", *version, definition->statement, err));
    TRY(insert(host, table, "created_at", *version, slice_of(now), err));
    return check_written(host, table, definition, arena, err);
}

static enum status define(void *self, struct slice schema, const struct definition *definition,
                          bool replaces, int64_t *version, struct error *err)
{
    struct sql_host *host = self;
    const struct database *database = host->database;
    struct sql_table table = {schema, definition->name.name};
    const struct table_target target = {
        .schema = schema, .name = definition->name.name, .kind = TARGET_DEFINITION};
    struct database_transaction transaction;
    char buffer[SQL_NAME_BYTES];
    struct arena arena;
    enum status status;

    TRY(host->variant->check_target(self, &target, err));
    TRY(host->variant->choose_schema(host, &table.schema, buffer, err));
    TRY(database->begin(database->self, &transaction, err));
    arena_init(&arena, ARENA_MAXIMUM);
    status = write_in_transaction(host, &table, definition, replaces, &arena, version, err);
    arena_deinit(&arena);
    status = database->end(database->self, &transaction, status, err);
    if (status == STATUS_OK && host->variant->committed)
        host->variant->committed(host, table.schema);
    return status;
}

static enum status drop_in_transaction(struct sql_host *host, const struct sql_table *table,
                                       struct error *err)
{
    struct stored_definition stored;
    struct sql_located located;
    struct arena arena;
    enum status status;

    TRY(locate(host, table, &located, err));
    if (!located.is_table)
        return refuse_other_table(table->name, err);
    arena_init(&arena, ARENA_MAXIMUM);
    status = read(host, &located, &arena, &stored, err);
    arena_deinit(&arena);
    TRY(status);
    return sql_run(host, "DROP TABLE @",
                   &(struct sql_table){slice_of(located.schema), slice_of(located.name)}, NULL, 0,
                   NULL, err);
}

static enum status drop(void *self, struct slice schema, struct slice name, struct error *err)
{
    struct sql_host *host = self;
    const struct sql_table table = {schema, name};
    struct database_transaction transaction;

    TRY(host->database->begin(host->database->self, &transaction, err));
    return host->database->end(host->database->self, &transaction,
                               drop_in_transaction(host, &table, err), err);
}

/* ----- SHOW DEFINITIONS ----- */

/* One that was dropped meanwhile, that is locked or that only looks like a definition is left out.
 */
static enum status put_listed(struct sql_host *host, const struct listed *listed,
                              const struct sink *sink, struct error *err)
{
    struct stored_definition stored = {.version = 0};
    struct error ignored;
    struct arena arena;
    struct reading reading = {&arena, &stored};
    const struct database_rows rows = {.self = &reading, .row = take_row};
    enum status status = STATUS_OK;

    arena_init(&arena, ARENA_MAXIMUM);
    if (sql_read_listed(host, listed, false, &rows, &ignored) == STATUS_OK &&
        stored.statement.size > 0)
        status =
            sink_row(sink,
                     (struct cell[]){cell_text(listed->shown), cell_text(listed->table.name),
                                     cell_integer(stored.version), cell_text(stored.created_at),
                                     cell_text(stored.statement)},
                     5, err);
    arena_deinit(&arena);
    return status;
}

static enum status list(void *self, const struct sink *sink, struct error *err)
{
    struct listing listing;
    enum status status = sql_list_tables(self, &listing, err);

    for (size_t i = 0; i < listing.count && status == STATUS_OK; i++)
        if (is_of_zoo(listing.listed[i].table.name))
            status = put_listed(self, &listing.listed[i], sink, err);
    arena_deinit(&listing.arena);
    return status;
}

const struct host_definitions sql_definitions = {.define = define, .drop = drop, .list = list};
