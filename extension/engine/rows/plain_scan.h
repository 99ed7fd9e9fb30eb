/*
 * plain_scan.h - is a SELECT nothing but columns of one table, or of some of its rows?
 *
 * Then its rows may be read in pieces, by several readers at once. Only the text is
 * read; the database decides what the names mean.
 */
#pragma once

#include "base/text.h"

/* The pieces borrow from the SELECT. */
struct plain_scan {
    struct slice columns;       /* from behind SELECT to before FROM */
    struct slice from;          /* the table as it is written */
    struct slice schema, table; /* the same, without quotes */
    struct slice where;         /* all that is behind WHERE; empty: all rows */
    bool renames;               /* a column AS another name */
};

/* SELECT * or names [AS names] FROM [schema.]table, as far as the text shows. */
bool plain_scan_recognise(struct slice select, struct plain_scan *plain);
/* The same, and WHERE anything. What stands there is not read: it may be followed by GROUP BY and
 * the like, so a caller puts it into parentheses and asks the database whether that is a condition.
 */
bool plain_scan_recognise_some(struct slice select, struct plain_scan *plain);
