/*
 * model_view.h - a view that is read as a model.
 *
 * A view is a query: its functions run as the reader. So only the caller's own views and those of
 * superusers are models; another one is refused with that reason. The view is read by its OID,
 * under a lock on it, so that it cannot be replaced between the check and the reading.
 */
#pragma once

#include "extension/postgres/server/session/session.h"

#include <access/attnum.h>
#include <utils/relcache.h>

#define MODEL_COLUMNS 5 /* part, name, position, value, data */

/* `columns`: their numbers in the view. The caller may read the view, and has locked it. */
enum status model_view_read(Relation view, const AttrNumber columns[MODEL_COLUMNS],
                            const struct model_read *read, const struct database_rows *rows,
                            struct error *err);
