/*
 * listing.h - candidates of a completion as lines for a terminal.
 *
 *     train.epoch           Passes over the training rows. Default: 10.
 *     train.early_stopping  End after this number of evaluations without improvement
 *                           and keep the best model.
 *
 * Where none has help, as with tables, or there are more lines of help than fit on the screen, they
 * stand side by side.
 */
#pragma once

#include "cli/shell/completion.h"

#define LISTED_MAX 100

/* Append lines of at most `columns` characters; a longer name has a longer
 * line. With help there are at most `rows` lines, less the two that the prompt takes. Without
 * candidates: the note. */
void listing_append(const struct completion *completion, size_t columns, size_t rows,
                    struct text *out);
