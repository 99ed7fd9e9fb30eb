/*
 * model_view.h - a view that is read as a model.
 *
 * A view is a query: its functions run as whoever reads it. So only the caller's own views and
 * those of superusers are models; of any other one the error says so. The view is read by its
 * OID, under a lock on it: between the check and the reading nobody puts another one in its place.
 */
#ifndef EXTENSION_POSTGRES_SERVER_MODEL_VIEW_H
#define EXTENSION_POSTGRES_SERVER_MODEL_VIEW_H

#include "extension/postgres/server/session.h"

#include <access/attnum.h>
#include <utils/relcache.h>

#define MODEL_COLUMNS 5 /* part, name, position, value, data */

/* `columns` says where they are. The caller may read the view, and has locked it. */
enum status model_view_read(Relation view, const AttrNumber columns[MODEL_COLUMNS],
                            const struct pg_model_read *read, const struct pg_rows *rows,
                            struct error *err);

#endif
