/*
 * roles.h - train.sample_weight, train.label_upper_bound, train.group -> columns of the SELECT that
 * are for something else than to be an input.
 *
 * Such a column is no input unless COLUMN names it, and prediction needs it no more than the label.
 */
#pragma once

#include "planner/plan/planning.h"

/* After the label. INVALID for a column that there is not, that is the label, or whose cells are
 * none of the role. */
enum status roles_plan(struct planning *planning);
/* Has the column of the SELECT a role, other than that of the label? */
bool roles_have_role(const struct plan *plan, int column);
/* The same, or is it the offset (offset.h), or one of several labels (labels.h)? */
bool roles_have(const struct plan *plan, int column);
/* Says which columns are no inputs for that reason. */
void roles_notices(struct plan *plan);
/* For EXPLAIN: "sample weights". */
const char *roles_called(enum row_role role);
