/*
 * fill_rows.h - rows that are scored by workers: they stay here, in a temporary table, and only
 * their inputs travel. What comes back is joined to them by their numbers, so that each column of
 * the target is of its own type, and holds what it held.
 */
#pragma once

#include "extension/engine/host/host.h"

enum status postgres_keep_rows(void *self, struct slice select, struct error *err);
enum status postgres_forget_rows(void *self, struct error *err);
enum status postgres_fill_rows(void *self, struct fill *fills, size_t count, fill_source *source,
                               void *context, struct error *err);
enum status postgres_show_rows(void *self, const struct fill *shown, fill_source *source,
                               void *context, const struct sink *sink, struct error *err);
