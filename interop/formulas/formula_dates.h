/*
 * formula_dates.h - names of months and weekdays in dates as people write them, as formulas in SQL
 * and C have them.
 */
#pragma once

#include "base/text.h"
#include "interop/formulas/character_runs.h"

/* The first run of capitals that names may have, from `first` on; false: there is none. ASCII's are
 * not among them. */
bool date_capitals_find(uint32_t first, struct capital_run *run);

/* Small letters beyond ASCII that names may have. */
void date_letters_append(struct text *out);

/* Months as |january=001|jan=101|: 100 is added for a short name, which may have a point. */
void date_months_append(struct text *out);
/* Weekdays as |monday|tuesday| */
void date_weekdays_append(struct text *out);
