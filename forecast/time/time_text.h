/*
 * time_text.h - times of a series as people read them.
 */
#pragma once

#include "inputs/cells/dates.h"

/* The kind of a series' times: the one that says most. */
enum time_kind { TIME_NUMBER, TIME_MONTH, TIME_DATE, TIME_MOMENT };

#define TIME_BYTES (DATE_BYTES + 16)

/* "7", "2024-05", "2024-05-31", "2024-05-31 18:00:00" and then `zone`, "+00" or "". Time: a number,
 * or microseconds since 1970. */
void time_print(enum time_kind kind, int64_t time, const char *zone, char out[TIME_BYTES]);
