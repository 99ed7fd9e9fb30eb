/*
 * row_guess.h - how many rows a SELECT may have, where that can be known at once.
 */
#ifndef EXTENSION_SQLITE_ROW_GUESS_H
#define EXTENSION_SQLITE_ROW_GUESS_H

#include "base/text.h"

uint64_t host_guess_rows(void *self, struct slice select);

#endif
