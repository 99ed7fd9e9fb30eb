#include "extension/sql/publish_pieces.h"

#include <ctype.h>
#include <stdio.h>

#include "base/sums/hash.h"
#include "extension/sql/sql.h"
#include "extension/sql/write_model.h"
#include "scoring/tables/model_meta.h"

static uint64_t hash_of_name(const struct sql_host *host, struct slice name)
{
    uint64_t hash = 0;

    if (!host->variant->folds_names)
        return bytes_hash(name.data, name.size, 0);
    for (size_t i = 0; i < name.size; i++) {
        const char letter = (char)tolower((unsigned char)name.data[i]);
        hash = bytes_hash(&letter, 1, hash);
    }
    return hash;
}

struct pieces pieces_of(struct sql_host *host, const struct sql_table *table,
                        const struct model *model, const struct sink *sink)
{
    struct pieces pieces = {.host = host, .table = *table, .model = model, .sink = sink};

    pieces_name(hash_of_name(host, table->name), model->digest, pieces.name);
    return pieces;
}

struct sql_table pieces_table(const struct pieces *pieces)
{
    return (struct sql_table){pieces->table.schema, slice_of(pieces->name)};
}

void pieces_note(struct pieces *pieces, struct slice what)
{
    snprintf(pieces->why, sizeof pieces->why,
             "table \"%.*s.%s\" %.*s; dropping it makes room for the pieces",
             SLICE_FORMAT(pieces->table.schema), pieces->name, SLICE_FORMAT(what));
}

enum status pieces_drop(const struct pieces *pieces, struct slice name, struct error *err)
{
    const struct sql_table table = {pieces->table.schema, name};

    return sql_run(pieces->host, pieces->host->variant->drop_own, &table, NULL, 0, NULL, err);
}

static void tell(const struct pieces *pieces)
{
    if (pieces->sink && pieces->why[0])
        sink_notice(
            pieces->sink,
            "model \"%.*s\" is written in one transaction, and not by pieces that stay when "
            "it is interrupted: %s",
            SLICE_FORMAT(pieces->table.name), pieces->why);
}

static enum status write_rows(struct pieces *pieces, size_t bytes_max, bool *is_at_end,
                              struct error *err)
{
    const struct sql_table table = pieces_table(pieces);
    struct model_writing part = {
        .model = pieces->model, .next = pieces->next, .bytes_max = bytes_max, .are_pieces = true};

    TRY(sql_write_model(pieces->host, &table, &part, err));
    pieces->next = part.next;
    *is_at_end = part.is_at_end;
    return STATUS_OK;
}

/* ----- writing ----- */

/* Others that publish a model of this name wait until this one is published: each would drop the
 * other's table for ever. A table that somebody has dropped meanwhile is not begun again, since
 * that might go on for ever, too. */
static enum status write_piece(struct pieces *pieces, bool *is_at_end, struct error *err)
{
    const struct sql_variant *variant = pieces->host->variant;
    const bool had_some = pieces->next > 0;

    TRY(sql_hold_model(pieces->host, &pieces->table, err));
    TRY(variant->find_pieces(pieces, err));
    if (pieces->is_free && had_some)
        pieces_note(pieces, SLICE("is gone"));
    else if (pieces->is_free)
        TRY(variant->begin_pieces(pieces, err));
    *is_at_end = !pieces->is_usable;
    if (!pieces->is_usable)
        return STATUS_OK;
    TRY(write_rows(pieces, pieces_bytes(), is_at_end, err));
    return variant->note_piece ? variant->note_piece(pieces, err) : STATUS_OK;
}

enum status pieces_write(struct pieces *pieces, struct error *err)
{
    const struct database *database = pieces->host->database;
    struct database_transaction transaction;
    bool is_settled, is_at_end = false;

    if (!pieces_are_for(model_memory(pieces->model)))
        return STATUS_OK;
    TRY(database->settle(database->self, &is_settled, err));
    while (is_settled && !is_at_end) {
        TRY(database->begin(database->self, &transaction, err));
        TRY(database->end(database->self, &transaction, write_piece(pieces, &is_at_end, err), err));
        TRY(database->settle(database->self, &is_settled, err));
    }
    if (is_at_end)
        pieces->are_written = pieces->is_usable;
    if (is_at_end && !pieces->is_usable)
        tell(pieces);
    return STATUS_OK;
}

/* ----- the table gets the model ----- */

/* A script that cleans up, or a role that ALTER DEFAULT PRIVILEGES gave DELETE, may have taken
 * some. */
static enum status check_rows(struct pieces *pieces, struct error *err)
{
    const struct sql_variant *variant = pieces->host->variant;
    const struct sql_table table = pieces_table(pieces);
    const int64_t wanted = (int64_t)pieces->next - 1;
    struct cell counts[2];
    bool found;

    if (variant->lock_pieces)
        TRY(sql_run(pieces->host, variant->lock_pieces, &table, NULL, 0, NULL, err));
    TRY(sql_first_of(pieces->host, variant->count_pieces, &table, NULL, 0, NULL, counts, 2, &found,
                     err));
    if (counts[0].integer == wanted && counts[1].integer == wanted)
        return STATUS_OK;
    snprintf(pieces->why, sizeof pieces->why, "table \"%.*s.%s\" has %lld of %lld rows",
             SLICE_FORMAT(pieces->table.schema), pieces->name, (long long)counts[1].integer,
             (long long)wanted);
    tell(pieces);
    pieces->is_usable = pieces->are_written = false;
    return pieces_drop(pieces, table.name, err);
}

enum status pieces_find(struct pieces *pieces, struct error *err)
{
    TRY(pieces->host->variant->find_pieces(pieces, err));
    if (pieces->are_written && pieces->is_free)
        pieces_note(pieces, SLICE("is gone"));
    if (pieces->are_written && !pieces->is_usable)
        tell(pieces);
    return pieces->is_usable ? check_rows(pieces, err) : STATUS_OK;
}

/* Readers look for it first. */
static enum status write_meta(const struct pieces *pieces, const struct sql_table *table,
                              bool are_pieces, struct error *err)
{
    struct model_writing meta = {.model = pieces->model, .bytes_max = 1, .are_pieces = are_pieces};

    return sql_write_model(pieces->host, table, &meta, err);
}

static enum status move_rows(const struct pieces *pieces, struct error *err)
{
    const struct sql_table table = pieces_table(pieces);
    enum status status;
    struct text sql;

    TRY(write_meta(pieces, &pieces->table, false, err));
    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql,
               "INSERT INTO @ (part, name, \"position\", value, data) SELECT part, name, "
               "\"position\", value, data FROM ",
               &pieces->table);
    sql_append(&sql, "@", &table);
    text_append_string(&sql, pieces->host->variant->order_of_pieces);
    status = sql_run_text(pieces->host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    TRY(status);
    return pieces_drop(pieces, table.name, err);
}

enum status pieces_take(struct pieces *pieces, bool target, struct error *err)
{
    const struct sql_table table = pieces_table(pieces);
    bool is_at_end;

    TRY(write_rows(pieces, SIZE_MAX, &is_at_end, err)); /* usually no rows are left */
    if (target)
        return move_rows(pieces, err);
    TRY(write_meta(pieces, &table, true, err));
    return pieces->host->variant->name_pieces(pieces, err);
}
