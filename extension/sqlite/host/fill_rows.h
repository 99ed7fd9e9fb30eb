/*
 * fill_rows.h - tables that are made anew from rows that were scored elsewhere.
 */
#pragma once

#include "extension/engine/host/host.h"

enum status host_fill_rows(void *self, struct fill *fills, size_t count, fill_source *source,
                           void *context, struct error *err);
