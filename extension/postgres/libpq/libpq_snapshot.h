/*
 * libpq_snapshot.h - one snapshot for several connections: one exports it, others take it.
 */
#pragma once

#include "extension/postgres/libpq/libpq.h"

/* Exports a snapshot of the connection's transaction, as long as that lives; appends its name. */
enum status libpq_export_snapshot(struct libpq *libpq, struct text *snapshot, struct error *err);
/* For the connection's transaction, REPEATABLE READ, before anything else in it. */
enum status libpq_take_snapshot(struct libpq *libpq, struct slice snapshot, struct error *err);
