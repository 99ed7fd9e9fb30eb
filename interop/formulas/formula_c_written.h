/*
 * formula_c_written.h - the parts of exported C that read numbers and dates as people write them.
 */
#pragma once

#include "base/text.h"
#include "interop/formulas/formula_print.h"

/* C in which @ is the prefix. The first is behind the tables, the others behind the first. */
extern const char formula_c_plain[];
extern const char formula_c_written_number[]; /* PREFIX_parse_separated, _point, _comma */
extern const char formula_c_written_date[];   /* PREFIX_parse_date_either, _day, _month */
/* Digits of other scripts, and as they are needed marks of money, and names. */
void formula_c_written_tables(const char *prefix, struct formula_written found, struct text *out);
