/*
 * publish_pieces.h - the rows of a large model on their way into its table, committed by pieces.
 *
 *     write --(a piece, COMMIT)*--> all rows but the meta row are in a table beside it
 *     take  in the transaction that publishes: the meta row, and the table gets the model's name;
 *           where a table has that name, its rows get in there
 *
 * Who is killed leaves the pieces that it has committed. The table is known by the model's name and
 * digest, so whoever publishes the same model again, as the next publisher of a job does, goes on
 * behind the last of them. Without its meta row it is no model to anybody. What another model of
 * this name has left is removed.
 */
#ifndef EXTENSION_SQLITE_PUBLISH_PIECES_H
#define EXTENSION_SQLITE_PUBLISH_PIECES_H

#include "extension/engine/host/host.h"
#include "extension/sqlite/api.h"

/* Outside of any transaction: the rows of a model of so many bytes. Nothing, where the connection
 * is inside of one, which is the user's. */
enum status pieces_write(sqlite3 *db, struct slice schema, struct slice name,
                         const struct model *model, struct error *err);
/* Inside of the transaction that publishes, into a table that was emptied, where one is there.
 * *are_in: it is there, with all rows; else there are no pieces of this model. */
enum status pieces_take(sqlite3 *db, struct slice schema, struct slice name, bool is_replaced,
                        const struct model *model, bool *are_in, struct error *err);

#endif
