/*
 * postgres_variant.h - PostgreSQL's SQL for models as tables (extension/sql/sql_host.h).
 *
 * Whatever it names is qualified, operators too, so that no search_path can put something else in
 * its place; names of tables are looked up along the caller's.
 *
 * A model is a table of the caller's (part text, name text, position bigint, value double
 * precision, data bytea), whose `data` holds texts as their UTF-8 bytes. Beside it the extension's
 * schema keeps totrain.models, totrain.versions and totrain.metrics (totrain--1.1.sql). Their rows
 * are stored by the OID of the model's table, so that they follow it through renames and changes of
 * owner; only roles that may act as its owner see and write them: these are views, of tables whose
 * rows pg_dump takes along.
 */
#pragma once

#include "extension/sql/sql_host.h"

extern const struct sql_variant postgres_variant;

/* INVALID where the rows of this model could not be deleted for want of a replica identity. */
enum status postgres_check_published(struct sql_host *host, const struct sql_located *located,
                                     struct error *err);
