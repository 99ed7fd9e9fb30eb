/*
 * postgres_host.h - the engine's host seam (extension/engine/host/host.h), filled for PostgreSQL.
 *
 *     query.c    run a query, describe one        models.c   find, load, list models
 *     tables.c   targets: checks, filling         publish.c  publish, keep and restore versions
 *     replace.c  one table in another's place     write_model.c  rows of a model into a table
 *     publish_pieces.c  those of a large one, committed by pieces
 *     fill_rows.c  rows that workers score  row_guess.c  how many rows a query may have
 *     saved_rows.c  those rows in a file
 *
 * Nothing here knows how a session is reached: that is database.h's business.
 *
 * A model is a table of the caller's (part text, name text, position bigint, value
 * double precision, data bytea), whose `data` holds texts as their UTF-8 bytes. Beside it
 * the extension's schema keeps, for every role its own rows (totrain--1.1.sql):
 *
 *     totrain.models    what there is, for people; the model tables decide
 *     totrain.versions  the rows of models that were replaced
 *     totrain.metrics   how each version learned
 *
 * A replaced model keeps its table, so that grants, views and readers of it live on.
 * Names of tables are looked up along the caller's search_path; whatever else our SQL
 * names, operators too, is qualified, so that no search_path can put something else
 * in its place.
 */
#pragma once

#include "extension/sql/sql_host.h"

/* `state` is the folder of the jobs, NULL the user's own. The door brings host.rows, and, where it
 * delivers models of detached jobs, host.catalog.find_file. */
void postgres_host_init(struct sql_host *host, const struct database *database, const char *program,
                        const char *state);
