/*
 * tree_constraints.h - which way predictions may go with a column, and which columns may be on one
 * way to a leaf.
 *
 *     groups {a, b}, {b, c}      a node that may be split by ...
 *
 *              a, b, c, d        the root: any column
 *            by b      by d
 *           a, b, c      d       all columns of the groups in which those above it are; a column
 *          by c                  that is in no group: by itself alone
 *         b, c
 *
 * This is what interaction_constraints mean to XGBoost. Directions are those of tree_split.h.
 */
#pragma once

#include "jobspec/jobspec.h"
#include "runtime/learn/trees/growth/tree_bins.h"

struct tree_constraints {
    uint32_t column_count;
    int8_t *directions; /* (column_count); NULL: no column has one */
    uint64_t *groups;   /* (column_count): bits; NULL: there are no groups */
};

/* Where in a tree a node is, as far as groups matter. */
struct tree_above {
    uint64_t groups; /* groups that all columns of the splits above it are in */
    uint32_t column; /* column of the split right above it */
    bool is_root;    /* no split is above it */
};

/* Takes the constraints from the inputs that the columns are made of. NO_MEMORY. */
enum status tree_constraints_init(struct tree_constraints *constraints, const struct jobspec *spec,
                                  const struct tree_bins *bins, struct error *err);
void tree_constraints_deinit(struct tree_constraints *constraints);

/* allowed (column_count), 1 or 0: 0 becomes what the node may not be split by. */
void tree_constraints_narrow(const struct tree_constraints *constraints, struct tree_above above,
                             uint8_t *allowed);
/* Where the children are of a node that is split by the column. */
struct tree_above tree_constraints_below(const struct tree_constraints *constraints,
                                         struct tree_above above, uint32_t column);
