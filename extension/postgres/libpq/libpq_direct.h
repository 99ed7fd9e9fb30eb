/*
 * libpq_direct.h - a worker's own reading of a table: under the snapshot of the session that sent
 * the job, as the login of all jobs, and only what the owner of this job may read as well.
 */
#ifndef EXTENSION_POSTGRES_LIBPQ_LIBPQ_DIRECT_H
#define EXTENSION_POSTGRES_LIBPQ_LIBPQ_DIRECT_H

#include "extension/postgres/libpq/libpq.h"

/* Where the rows are read from, and where the spools go. */
struct direct_reading {
    const char *folder; /* of the job: of the worker alone */
    const struct jobspec *spec;
    struct slice snapshot;
    struct slice schema, journal; /* the job's table, whose owner ordered it */
};

/* The spools that an order asks for (extension/engine/rows/direct.h), into the folder. INVALID:
 * the snapshot is gone, or the owner of the journal may not read the table. */
enum status libpq_read_directly(struct libpq *libpq, const struct direct_reading *reading,
                                const struct direct_order *order, struct error *err);

#endif
