/*
 * metric_rows.h - metrics as a result returns them, of training and of scoring alike.
 */
#pragma once

#include "base/cell.h"

/* A metric as a result has it: NULL where it is no number, or none that a double
 * holds, as in what TRAIN returns. */
struct cell metric_cell(double value);
