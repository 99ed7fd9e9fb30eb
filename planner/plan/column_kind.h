/*
 * column_kind.h - what a column is to a model, from what its cells are.
 *
 *     numbers               numeric; a few texts among them that cannot be read are bad rows
 *     '1,234.5'             numeric, read with separators
 *     '€1,234.50', '79,19'  numeric in other spellings, where one way of writing fits all
 *     't' and 'f' alone     numeric, 1 and 0
 *     '1.5, 2' of one length, '3:0.5 7:1'    lists, whose numbers are numeric
 *     anything else         a category; of dates see column_dates.h
 *
 * The rule knows counts alone. It is asked twice: of the sample, before rows are read, and of all
 * rows when they have been; the second answer counts.
 */
#pragma once

#include "planner/plan/catalog.h"
#include "scoring/columns/cell_counts.h"

/* How its text is read if the column is numeric. */
enum input_reading column_reading(const struct query_column *column);
/* May each of its numbers have a comma before its fraction as well as a point? */
bool column_is_unclear(const struct query_column *column);
/* A column without any value goes by its declared type. */
bool column_is_numeric(const struct query_column *column);
/* Texts that no number, and no missing value, can be read from by that reading. */
uint32_t column_words(const struct query_column *column);
/* How many numbers, or ids, the texts hold, if all of them are lists of the form with the usual
 * delimiters, dense ones of one length: into list->size. */
bool column_measure_list(const struct query_column *column, struct cell_list *list);
/* Is the column one of lists by itself: of as many numbers each, or of pairs of an id and a number?
 * Not where each text may be one number ("3,14", "1.234,50") or one pair ("12:30"). */
bool column_is_list_of_numbers(const struct query_column *column, struct cell_list *list);
/* Does the declared type hold one of these words, as SQLite's affinity rules look for them? */
bool type_declares(struct slice type, const char *const *words);

/* Why a column that no COLUMN clause names is left out. */
enum column_use {
    COLUMN_USED,
    COLUMN_KEY,      /* whole numbers that are all different, under a name like id */
    COLUMN_KEY_TEXT, /* short texts that are nearly all different */
    COLUMN_FREE_TEXT /* texts of several words that are mostly different */
};
enum column_use column_use_of(const struct query *query, const struct query_column *column);
/* id, customer_id, orderId, key, uuid ... */
bool name_is_key(struct slice name);

/* Takes the counts of a census of so many rows into the column, which had been described. */
void query_column_take(struct query_column *column, const struct cell_counts *counts,
                       uint64_t rows);

/* Does a column with these cells hold classes? */
bool column_holds_classes(const struct query_column *column);
