/*
 * column_lists.h - DENSE and SPARSE: how several values lie in the texts of a column.
 *
 *     DENSE(c, [2, 2])               4 numbers, separated by ","
 *     SPARSE(c, 10)                  ids below 10, or pairs of an id and a number
 *     SPARSE(c, 10, " ", int, "=")   "3=0.5 1=2"
 *
 * A shape of several dimensions is that of their product. The types of the values, which SQLFlow
 * has behind the delimiters, are checked and have no effect: numbers are numbers.
 */
#pragma once

#include "inputs/cell_list.h"
#include "planner/plan/planning.h"

bool column_is_list(const struct column *call); /* DENSE(...) or SPARSE(...) */

/* The arguments of such a call, whose size is 0 where it says none, and at most size_max. */
enum status column_list_read(const struct column *call, uint32_t size_max, struct cell_list *list,
                             struct error *err);

/* A string or a word as one delimiter: ",", COMMA. */
enum status column_delimiter_read(const struct column *argument, char *delimiter,
                                  struct error *err);

/* Reads IMAGE(c, height, width[, channels]). */
enum status column_image_read(const struct column *call, struct cell_list *list, struct error *err);
