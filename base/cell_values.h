/*
 * cell_values.h - cells of the values that programs have.
 */
#pragma once

#include "base/cell.h"

struct cell cell_null(void);
struct cell cell_integer(int64_t value);
struct cell cell_real(double value); /* NaN gives NULL */
struct cell cell_text(struct slice value);
struct cell cell_string(const char *value); /* terminated, borrowed */
