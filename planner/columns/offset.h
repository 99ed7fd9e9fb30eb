/*
 * offset.h - train.offset, train.base_margin, train.exposure -> the column with which each row's
 * score begins.
 *
 * It is the last input of the model before crosses (scoring/transform/transform.h), and no feature:
 * PREDICT and EVALUATE need it, and functions take it behind the other columns. A statement has one
 * at most.
 */
#pragma once

#include "planner/plan/planning.h"

/* After the label and the roles; with USING the offset is that of the old model. INVALID for a
 * column that there is not, that is the label or has a role, or whose cells are no numbers; for an
 * exposure where predictions are not e to a sum; for base_margin with base_score; for another
 * offset than the old model's. */
enum status offset_plan(struct planning *planning);
/* The input that it is. */
struct plan_input offset_input(const struct plan *plan);
/* The error that COLUMN names the offset's column as well. */
enum status offset_refuse_choice(const struct planning *planning, int position);
/* Says that it is no input. */
void offset_notice(struct plan *plan);
/* For EXPLAIN: "offset". */
const char *offset_called(enum offset offset);
