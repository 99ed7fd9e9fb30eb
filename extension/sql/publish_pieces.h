/*
 * publish_pieces.h - the rows of a large model on their way into its table, committed by pieces.
 *
 *     write --(a piece, COMMIT)*--> all rows but the meta row are in a table beside it
 *     find  in the transaction that publishes, under the lock on the model's name
 *     take  there: the meta row, and the table gets the model's name; or where another table is to
 *           have the rows, they get in there
 *
 * A publisher that is killed leaves the pieces that it has committed. The table is known by the
 * model's name and digest (model_pieces.h), and says how many rows of model_write it has: another
 * publisher of the same model, as the next one of a job is, goes on behind the last of them.
 * Without its meta row it is no model to anybody. Pieces of another model of this name are removed.
 * The name is held from the first piece until the model is published: publishers of another model
 * of this name wait until then.
 *
 * A table of that name is written only while it is as it was made; the variant's find_pieces says
 * so. Where another one has the name, no pieces are written, and the model is published in one
 * transaction: a notice says which table it is, and why.
 */
#pragma once

#include "extension/engine/host/model_pieces.h"
#include "extension/sql/sql_host.h"
#include "scoring/model.h"

struct pieces {
    struct sql_host *host;
    struct sql_table table; /* the model's */
    const struct model *model;
    const struct sink *sink; /* for the notice; may be NULL */
    char name[PIECES_NAME_BYTES];
    /* The table beside it, as it was found. */
    bool is_free;    /* nothing has its name */
    bool is_usable;  /* it is as we have made it */
    bool is_renamed; /* it may become the table of a model for a new name */
    uint64_t next;   /* the row behind those that it has */
    char why[512];   /* it is not usable */

    bool are_written; /* all of them, by pieces_write */
};

struct pieces pieces_of(struct sql_host *host, const struct sql_table *table,
                        const struct model *model, const struct sink *sink);
/* Writes the rows of a model of so many bytes. Nothing, where a transaction is open, the user's or
 * one that publishes the model with other things; and with a notice, where the table cannot be used
 * (find_pieces, begin_pieces) or is dropped between two pieces. */
enum status pieces_write(struct pieces *pieces, struct error *err);
/* Finds the table in the transaction that publishes. A notice where pieces were written, and are
 * not usable any more: gone, or rows of them. Rows are counted under a lock that keeps them. */
enum status pieces_find(struct pieces *pieces, struct error *err);
/* Takes usable ones. `target`: the table that is there and empty; where none is, the table beside
 * it becomes that, and has to be `is_renamed`. */
enum status pieces_take(struct pieces *pieces, bool target, struct error *err);

/* ----- for variants ----- */

struct sql_table pieces_table(const struct pieces *pieces);
/* The reason why the table is not usable: `table "x.totrain_part_..." WHAT; dropping it ...`. */
void pieces_note(struct pieces *pieces, struct slice what);
enum status pieces_drop(const struct pieces *pieces, struct slice name, struct error *err);
