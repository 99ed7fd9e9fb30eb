/*
 * holidays.h - forecast.holidays: days with a name, on which values differ from those around them.
 *
 *     table of days and names  --planner/forecast/holiday_table.h-->  struct holidays, in a spec
 *     steps, past and to come  --holiday_days-->  a regressor for each holiday
 *     its coefficient          -->  part of the stored forecast, and of TO EXPLAIN
 *
 * All days are known when a model is trained, those to come, too. So a forecast has the effects in
 * it, and nobody who asks for one has to know the holidays.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "forecast/time/steps.h"

#define HOLIDAYS_MAX     64    /* number of regressors of a series, at most */
#define HOLIDAY_DAYS_MAX 20000 /* days of all holidays together */
#define HOLIDAY_NAME_MAX 100   /* bytes of a name */

struct holiday {
    struct slice name;
    uint32_t count;
    const int32_t *days; /* (count): since 1970-01-01, ascending, each once */
};

struct holidays {
    uint32_t count;              /* at most HOLIDAYS_MAX; 0: none */
    const struct holiday *items; /* (count): ascending by their names */
};

/* How many days of a holiday are in a step. A step of a day or less is in one day; a longer one
 * begins with its time, and one of ends of months ends with it. */
double holiday_days(const struct holiday *holiday, const struct steps *steps, int64_t index);

/* Is a day of any of them in this step, or in one behind it? */
bool holidays_reach(const struct holidays *holidays, const struct steps *steps, int64_t index);

/* Have both the same names? Days may differ. */
bool holidays_same_names(const struct holidays *a, const struct holidays *b);
bool holidays_equal(const struct holidays *a, const struct holidays *b);
/* The name and the days, for digests. */
uint64_t holiday_hash(const struct holiday *holiday);

/* [{"name": "Easter", "days": [19448, ...]}, ...] */
void holidays_write(const struct holidays *holidays, cJSON *object, const char *name);
/* CORRUPT for what holidays_write does not write. */
enum status holidays_read(const cJSON *object, const char *name, struct arena *arena,
                          struct holidays *holidays, struct error *err);
