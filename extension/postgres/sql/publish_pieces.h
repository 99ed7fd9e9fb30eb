/*
 * publish_pieces.h - the rows of a large model on their way into its table, committed by pieces.
 *
 *     write --(a piece, COMMIT)*--> all rows but the meta row are in a table beside it
 *     find  in the transaction that publishes, under the lock on the model's name
 *     take  there: the meta row, and the table gets the model's name; or where another table is to
 *           have the rows, they get in there
 *
 * Who is killed leaves the pieces that it has committed. The table is known by the model's name and
 * digest (model_pieces.h), and its comment says how many rows of model_write it has: whoever
 * publishes the same model again, as the next publisher of a job does, goes on behind the last of
 * them. Without its meta row it is no model to anybody. What another model of this name has left
 * is removed. The name is held from the first piece until the model is published: who publishes
 * another model of this name waits until then.
 *
 * A table of that name is written only while it is as it was made: the caller's own, with nothing
 * on it that is run with a row (triggers, rules, policies, defaults, constraints, indexes), and
 * with the comment. Where another one has the name, whosever it is, no pieces are written, and the
 * model is published in one transaction: a notice says which table it is, and why. Others may read
 * it as they may read the model's table: of a new model by ALTER DEFAULT PRIVILEGES; where a model
 * is replaced they may not at all.
 */
#ifndef EXTENSION_POSTGRES_SQL_PUBLISH_PIECES_H
#define EXTENSION_POSTGRES_SQL_PUBLISH_PIECES_H

#include "extension/engine/host/model_pieces.h"
#include "extension/engine/host/sink.h"
#include "extension/sql/sql.h"
#include "scoring/model.h"

struct pg_pieces {
    struct sql_host *host;
    struct sql_table table; /* the model's */
    const struct model *model;
    const struct sink *sink; /* for the notice; may be NULL */
    char name[PIECES_NAME_BYTES];
    /* The table beside it, as it was found. */
    bool is_free;    /* nothing has its name */
    bool is_usable;  /* it is as we have made it */
    bool is_renamed; /* it is to be the table of a model for a new name: rights are the default */
    uint64_t next;   /* the row behind those that it has */
    char why[512];   /* it is not usable */

    bool are_written; /* all of them, by pg_pieces_write */
};

struct pg_pieces pg_pieces_of(struct sql_host *host, const struct sql_table *table,
                              const struct model *model, const struct sink *sink);
/* The rows of a model of so many bytes. Nothing, where a transaction is open, of the user's or of
 * whoever publishes the model with other things; and with a notice, where a publication would carry
 * the pieces away, where the caller can make no table, where another one has its name, and where
 * the table is dropped between two pieces. */
enum status pg_pieces_write(struct pg_pieces *pieces, struct error *err);
/* A notice where they were written, and are not usable any more: gone, or rows of them, or a
 * publication would carry them away. Rows are counted under a lock that keeps them. */
enum status pg_pieces_find(struct pg_pieces *pieces, struct error *err);
/* Usable ones. `target`: the table that is there and empty; where none is, the table beside it
 * becomes that, and has to be `is_renamed`. */
enum status pg_pieces_take(struct pg_pieces *pieces, bool target, struct error *err);

#endif
