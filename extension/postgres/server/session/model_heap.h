/*
 * model_heap.h - the rows of a model's table, read without running anything of its owner's.
 *
 * A query on a table runs code of the table's owner as the reader: planning it evaluates
 * the functions of index expressions, a policy is called for each row, a view is a query of
 * its own, and a name may lead to another object by the time it is used. So models are not
 * queried: the table is found by its OID, locked, checked under that lock (an ordinary table
 * with a model's columns, which the caller may read and no policy guards), and its heap is
 * scanned with the caller's snapshot.
 *
 * A view with a model's columns is code. It is read, by its OID too, where its owner is the
 * caller or a superuser; other views are refused.
 */
#pragma once

#include "extension/postgres/server/session/session.h"

/* struct database's read_model; `self` is a struct session. */
enum status model_heap_read(void *self, const struct model_read *read,
                            const struct database_rows *rows, struct error *err);

/* Which rows of a table a snapshot sees: two that are equal, byte for byte, are the same rows. A
 * row that is updated is another one, whatever it holds; values that lie out of line cannot be
 * changed but by an update of their row. */
struct model_identity {
    Oid table, file;  /* OID, relfilenode */
    int16 columns[5]; /* where part, name, position, value and data are in them */
    uint64_t rows;
    uint64_t hash; /* over the rows' places, and the transactions and commands that wrote them */
};

/* By the active snapshot; no row is unpacked. The table is locked. False for what is no model that
 * the caller may read, and for what has no such rows: a view, or a table that is no heap. */
bool model_heap_identify(Oid table, struct model_identity *identity);
