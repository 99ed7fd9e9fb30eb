/*
 * table_scan.h - a whole table in pieces that several sessions can read at once.
 *
 *     SELECT a, b FROM t  -->  t: pages 0 to 511, 512 to 1023, ...
 *     partitioned         -->  leaf t_2024: pages ..., leaf t_2025: pages ...
 *
 * Pages are ranges of ctid, which PostgreSQL reads by a Tid Range Scan (14 and later).
 * The readers share one snapshot, which the caller provides: nothing here opens a session.
 */
#pragma once

#include "extension/sql/sql_host.h"

#define SCAN_PAGES_LEAST 512 /* below, starting sessions takes longer than reading */
#define SCAN_RANGE_LEAST 256 /* a piece of a table has 2 MB at least, for each is a statement */
#define SCAN_SHARES      16  /* pieces of a reader, so that all end at about the same time */
#define SCAN_TABLES_MAX  10000

struct scan_table {
    struct slice name; /* "schema"."table" */
    uint64_t pages;
    uint64_t first_range; /* its first piece among all */
};

struct table_scan {
    struct slice root;    /* "schema"."table" that the SELECT names */
    struct slice columns; /* their names, to be selected from each table */
    struct scan_table *tables;
    size_t count;
    uint64_t ranges;      /* pieces of all tables */
    uint64_t range_pages; /* pages per piece */
};

/* For so many readers. *reason is NULL where any session of the same role can read the SELECT so,
 * else the reason why not, for people. All of it lives in the arena or borrows from the SELECT. */
enum status table_scan_plan(struct sql_host *host, struct slice select, uint32_t readers,
                            struct arena *arena, struct table_scan *scan, const char **reason,
                            struct error *err);

/* The same tables in the same order? Pages may differ. */
bool table_scan_equal(const struct table_scan *a, const struct table_scan *b);

/* Pages of one table, as one SELECT. */
struct scan_piece {
    struct slice table, columns; /* names of the table and of its columns */
    /* '{oid, ...}': it is read with its partitions, of all of them these pages side by side, and
     * with none that is not listed. size 0: a table is read without others. */
    struct slice leaves;
    bool is_whole;                 /* it has no pages that can be named: a foreign table */
    uint64_t first_page, end_page; /* end 0: to the end, however far it is by now */
};
void scan_piece_append(const struct scan_piece *piece, struct text *sql);

/* Its tables, of so many pages, into pieces for so many readers. */
void table_scan_cut(struct table_scan *scan, uint64_t pages, uint32_t readers);
/* The SELECT of one piece. */
void table_scan_append(const struct table_scan *scan, uint64_t range, struct text *sql);
