/*
 * score.h - the name of the score that a training measures on held-out rows, by its statement.
 */
#pragma once

#include "base/text.h"

/* Appends {"name":"RMSE","label":"price"} as JSON: the name is "accuracy" or "RMSE" where the
 * statement's model fixes it, else "score"; the label is null where the statement has none. */
void score_append(struct slice statement, struct text *out);
