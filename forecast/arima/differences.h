/*
 * differences.h - by how many differences has a series the same level at all times?
 */
#pragma once

#include "forecast/methods/method.h"

/* Differences values in place: each less the one `lag` before, of which the first are lost. How
 * many are left. */
uint32_t difference(double *values, uint32_t count, uint32_t lag);

/* Does the level move? By the test of Kwiatkowski, Phillips, Schmidt and Shin at 5 %. */
bool level_is_moving(const double *values, uint32_t count);
