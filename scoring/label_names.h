/*
 * label_names.h - classes as texts: in reports, notices, JSON and names of columns. Booleans, dates
 * and times of PostgreSQL are numbers to a model; here they are written as SQL writes them.
 */
#pragma once

#include "inputs/cells/cells.h"
#include "scoring/model.h"

/* How labels of a type are written. declared: as the database names the type in SQL,
 * "pg_catalog.bool"; or empty. */
enum label_spelling label_spelling_of(struct slice declared);

/* The text of a class by its number, below labels->count; of a number in the buffer. */
struct slice label_name(const struct labels *labels, uint32_t class,
                        char buffer[TRANSFORM_WORD_BUFFER]);

/* The names of all classes, in the arena. */
enum status label_names(const struct labels *labels, struct arena *arena, struct slice **names,
                        struct error *err);
