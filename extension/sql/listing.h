/*
 * listing.h - the tables of a database that have the columns of a model.
 */
#pragma once

#include "extension/sql/sql_host.h"

struct listed {
    uint32_t relation;
    struct sql_table table;
    struct slice shown; /* the name as it would be written here */
};

struct listing {
    struct arena arena;
    struct listed *listed; /* (count) */
    size_t count, capacity;
};

/* One statement at a time: the names first, and what is in the tables then. Freed by arena_deinit
 * of its arena, after errors, too. */
enum status sql_list_tables(struct sql_host *host, struct listing *listing, struct error *err);

/* The rows of a listed table, or its meta row alone, where `table` may have been dropped, locked or
 * changed since: an error leaves the transaction that is open as it was. */
enum status sql_read_listed(struct sql_host *host, const struct listed *listed, bool only_meta,
                            const struct database_rows *rows, struct error *err);
