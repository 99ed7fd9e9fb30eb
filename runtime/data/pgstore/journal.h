/*
 * journal.h - the journal as rows, and the pieces of checkpoints.
 * A transaction is one COPY. When the connection is cut during it, the row at its first number
 * shows whether it was committed: a row with our bytes is ours, any other is another master's
 * (STALE), and none means that it can be sent again; should the cut one still be under way on the
 * server, the primary key makes the second wait for it.
 */
#pragma once

#include "runtime/data/pgstore/pgstore_parts.h"

void pgstore_journal_init(struct pgstore *store, uint64_t job);
/* So many entries, from number 1 on. The journal's own place stays. */
enum status pgstore_read_first(struct pgstore *store, int count, journal_reader *each,
                               void *context, struct error *err);
