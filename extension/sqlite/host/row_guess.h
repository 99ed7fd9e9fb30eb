/*
 * row_guess.h - how many rows a SELECT may have, where that can be known at once.
 */
#pragma once

#include "base/text.h"

uint64_t host_guess_rows(void *self, struct slice select);
