/*
 * other_units.h - columns of which the rows that are scored seem to have another unit than those
 * that the model has learned from (scoring/statistics/other_unit.h).
 *
 *     load --> cell, cell, cell ... --> note
 *
 * The sample of the SELECT shows which columns may be such. Only these are looked at in all rows.
 */
#pragma once

#include "base/arena.h"
#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"
#include "scoring/model.h"
#include "scoring/statistics/other_unit.h"

struct other_units {
    const struct plan *plan;
    struct other_unit *columns; /* (count): of the model's inputs */
    bool *are_told;             /* (count): the column may be such */
    size_t count;               /* 0: none is looked at */
};

/* In the arena. model: the plan's, loaded; NULL: its statistics are read. None where the model
 * keeps none, is too large to be read for them, or cannot be. NO_MEMORY. */
enum status other_units_load(const struct host *host, const struct plan *plan,
                             const struct model *model, struct arena *arena,
                             struct other_units *units, struct error *err);
/* May the column of the model's input be such? */
static inline bool other_units_have(const struct other_units *units, size_t input)
{
    return input < units->count && units->are_told[input];
}
/* A row's cell of such a column. */
void other_units_cell(struct other_units *units, size_t input, const struct cell *cell);
/* Adds a notice for each such column to those of the plan. */
void other_units_note(const struct other_units *units);
