#include "extension/sqlite/host/sqlite_variant.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "extension/engine/host/stored.h"
#include "extension/sql/publish_pieces.h"
#include "extension/sql/sql.h"
#include "extension/sqlite/host/models.h"
#include "extension/sqlite/host/tables.h"

#define SYNCHRONOUS_FULL 2 /* PRAGMA synchronous: what is committed is on the disk */

/* ----- what is written ----- */

static enum status refuse_changes(const struct sql_located *located, struct error *err)
{
    (void)located;
    fail(err, STATUS_INVALID,
         "a trigger on the model's table changes rows of the model as they are written");
    return error_hint(err, "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' shows it; "
                           "DROP TRIGGER removes it.");
}

/* SQLite commits by removing the journal. The removal must reach the disk as well, or the next
 * connection that opens the database after a power cut takes the model back. On a connection that
 * waits less for the disk than by default (PRAGMA synchronous) nothing is synced. A failure here
 * cannot undo the commit. */
static void sync_folder(struct sql_host *host, struct slice schema)
{
    const struct sql_table table = {.schema = schema};
    const struct slice file = host_find_file(host, schema);
    int64_t level = 0;
    struct error ignored;
    char path[PATH_MAX];
    int folder;

    if (file.size == 0 || file.size >= sizeof path ||
        sql_integer(host, "PRAGMA @.synchronous", &table, NULL, 0, &level, &ignored) != STATUS_OK ||
        level < SYNCHRONOUS_FULL)
        return;
    memcpy(path, file.data, file.size + 1);
    *strrchr(path, '/') = '\0';
    folder = open(*path ? path : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder);
        close(folder);
    }
}

/* ----- pieces ----- */

/* Row n of a model has the rowid n + 1, and the meta row, which has number 0, comes last. */
static enum status find_pieces(struct pieces *pieces, struct error *err)
{
    const struct sql_table table = pieces_table(pieces);
    struct sql_located located;
    int64_t last = 0;

    pieces->is_usable = false;
    pieces->is_renamed = true;
    pieces->why[0] = '\0';
    TRY(sqlite_locate(pieces->host, &table, &located, err));
    pieces->is_free = !located.exists;
    if (!located.exists)
        return STATUS_OK;
    if (!located.is_table || !located.has_columns)
        return pieces_note(pieces, SLICE("has other columns than a model")), STATUS_OK;
    TRY(sql_integer(pieces->host, "SELECT max(rowid) FROM @", &table, NULL, 0, &last, err));
    pieces->next = last > 1 ? (uint64_t)last : 1;
    pieces->is_usable = true;
    return STATUS_OK;
}

/* Removes the tables of other models of this name: one at a time, as the list changes with it. */
static enum status remove_others(const struct pieces *pieces, struct error *err)
{
    const struct cell start = cell_text((struct slice){pieces->name, PIECES_PREFIX_BYTES});
    struct cell other = cell_string("");
    enum status status = STATUS_OK;
    struct arena arena;
    bool found = true;

    arena_init(&arena, ARENA_MAXIMUM);
    while (found && status == STATUS_OK) {
        status = sql_first_of(pieces->host,
                              "SELECT name FROM @.sqlite_master WHERE type = 'table' AND "
                              "substr(name, 1, length($1)) = $1 LIMIT 1",
                              &pieces->table, &start, 1, &arena, &other, 1, &found, err);
        if (status == STATUS_OK && found)
            status = pieces_drop(pieces, other.text, err);
    }
    arena_deinit(&arena);
    return status;
}

/* Nothing is left beside a table that may not be replaced. */
static enum status begin_pieces(struct pieces *pieces, struct error *err)
{
    const struct table_target target = {.name = pieces->table.name, .kind = TARGET_MODEL};
    const struct sql_table table = pieces_table(pieces);
    struct sql_located model;

    TRY(sqlite_locate(pieces->host, &pieces->table, &model, err));
    TRY(sqlite_check_replaced(pieces->host, &model, &target, err));
    TRY(remove_others(pieces, err));
    TRY(sql_run_all(pieces->host, pieces->host->variant->make_model, &table, NULL, 0, err));
    pieces->is_usable = true;
    pieces->next = 1;
    return STATUS_OK;
}

/* SQLite before 3.26 looks at no views when it renames: one that reads the model may be there
 * before it. */
static enum status name_pieces(struct pieces *pieces, struct error *err)
{
    const struct sql_table table = pieces_table(pieces);
    enum status status;
    int64_t was_so = 0;
    struct error ignored;

    TRY(sql_integer(pieces->host, "PRAGMA legacy_alter_table", NULL, NULL, 0, &was_so, err));
    TRY(sql_run(pieces->host, "PRAGMA legacy_alter_table = ON", NULL, NULL, 0, NULL, err));
    status = sql_rename(pieces->host, &table, pieces->table.name, err);
    if (!was_so)
        (void)sql_run(pieces->host, "PRAGMA legacy_alter_table = OFF", NULL, NULL, 0, NULL,
                      &ignored);
    return status;
}

/* ----- the texts ----- */

static const char *const make_kept[] = {
    "CREATE TABLE IF NOT EXISTS @.totrain_models (name TEXT PRIMARY KEY COLLATE NOCASE, version "
    "INTEGER, kind TEXT, digest TEXT, created_at TEXT, rows INTEGER, statement TEXT, id TEXT)",
    "CREATE TABLE IF NOT EXISTS @.totrain_versions (id TEXT, version INTEGER, digest TEXT, "
    "created_at TEXT, part TEXT, name TEXT, position INTEGER, value, data)",
    "CREATE INDEX IF NOT EXISTS @.totrain_versions_id ON totrain_versions (id, version)",
    "CREATE TABLE IF NOT EXISTS @.totrain_metrics (id TEXT, version INTEGER, job INTEGER, epoch "
    "INTEGER, step INTEGER, metric TEXT, part TEXT, value)",
    NULL};

static const char *const make_model[] = {
    "CREATE TABLE @ (part TEXT, name TEXT, position INTEGER, value, data)", NULL};

static const char *const forget_older[] = {
    "DELETE FROM @.totrain_versions WHERE id = $2 AND version NOT IN (SELECT DISTINCT version FROM "
    "@.totrain_versions WHERE id = $2 ORDER BY version DESC LIMIT $10)",
    "DELETE FROM @.totrain_metrics WHERE id = $2 AND version < (SELECT min(version) FROM "
    "@.totrain_versions WHERE id = $2)",
    NULL};

/* Rows of tables that were dropped or renamed since would only mislead. */
static const char *const put_facts[] = {
    "DELETE FROM @.totrain_models WHERE name COLLATE NOCASE NOT IN (SELECT name FROM "
    "@.sqlite_master WHERE type = 'table')",
    "INSERT OR REPLACE INTO @.totrain_models VALUES ($9, $3, $6, $4, $5, $7, $8, $2)", NULL};

const struct sql_variant sqlite_variant = {
    .locate = sqlite_locate,
    .choose_schema = sqlite_choose_schema,
    .list_tables = sqlite_list_tables,
    /* Bytes of data are counted, since pages that are half empty belong to the file. */
    .table_bytes = "SELECT coalesce(sum(length(data)), 0), EXISTS (SELECT 1 FROM @.sqlite_master "
                   "WHERE name = 'totrain_versions'), 0 FROM @",
    .kept_bytes = "SELECT coalesce(sum(length(data)), 0) FROM @.totrain_versions WHERE id = $2",

    .check_target = host_check_target,
    .check_replaced = sqlite_check_replaced,
    .make_kept = make_kept,
    .make_model = make_model,
    .insert_row = "INSERT INTO @ VALUES ($1, $2, $3, $4, $5)",
    .place_row = "INSERT INTO @ (rowid, part, name, position, value, data) "
                 "VALUES ($6, $1, $2, $3, $4, $5)",
    .keeps_texts = true,
    .count_row_changers =
        "SELECT (SELECT count(*) FROM @.sqlite_master WHERE type = 'trigger' AND tbl_name = $9 "
        "COLLATE NOCASE) + (SELECT count(*) FROM temp.sqlite_master WHERE type = 'trigger' AND "
        "tbl_name = $9 COLLATE NOCASE)",
    .refuse_changes = refuse_changes,
    .committed = sync_folder,

    .may_read_kept = "SELECT count(*) FROM @.sqlite_master WHERE name = 'totrain_versions'",
    .count_copies = "SELECT count(*) FROM @.totrain_models WHERE id = $2 AND name <> $9 COLLATE "
                    "NOCASE AND name IN (SELECT name FROM @.sqlite_master WHERE type = 'table')",
    .newest_version = "SELECT max(version) FROM @.totrain_versions WHERE id = $2",
    .list_versions =
        "SELECT version, digest, created_at, data FROM @.totrain_versions WHERE id = $2 AND "
        "part = 'meta' ORDER BY version DESC",
    .list_metrics = "SELECT epoch, step, metric, part, value FROM @.totrain_metrics WHERE id = $2 "
                    "AND version = $3 ORDER BY epoch, step, rowid",
    .forget_version = "DELETE FROM @.totrain_versions WHERE id = $2 AND version = $3",
    .keep_version = "INSERT INTO @.totrain_versions SELECT $2, $3, $4, $5, part, name, position, "
                    "value, data FROM @",
    .restore_version = "INSERT INTO @ SELECT part, name, position, value, data FROM "
                       "@.totrain_versions WHERE id = $2 AND version = $3 ORDER BY rowid",
    .forget_older = forget_older,
    .put_model = put_facts,
    .versions_kept = stored_versions_kept,
    .insert_metric = "INSERT INTO @.totrain_metrics VALUES ($2, $3, $9, $4, $5, $6, $7, $8)",

    .folds_names = true,
    .find_pieces = find_pieces,
    .begin_pieces = begin_pieces,
    .count_pieces = "SELECT count(*), (SELECT count(*) FROM (SELECT DISTINCT part, name, position "
                    "FROM @)) FROM @",
    .order_of_pieces = " ORDER BY rowid",
    .name_pieces = name_pieces,
    .drop_own = "DROP TABLE @",

    .replace_by_select = sqlite_replace_by_select,
    .replace = sqlite_replace,
    .create = sqlite_create,
    .stage = {SLICE("temp"), SLICE("totrain_kept_rows")},
    .keep_stage = sqlite_keep_stage,
};
