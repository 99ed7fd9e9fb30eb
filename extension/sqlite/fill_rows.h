/*
 * fill_rows.h - tables that are made anew from rows that were scored elsewhere.
 */
#ifndef EXTENSION_SQLITE_FILL_ROWS_H
#define EXTENSION_SQLITE_FILL_ROWS_H

#include "extension/engine/host/host.h"

enum status host_fill_rows(void *self, struct fill *fills, size_t count, fill_source *source,
                           void *context, struct error *err);

#endif
