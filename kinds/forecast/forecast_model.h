/*
 * forecast_model.h - what a stored model of kind "forecast" consists of.
 *
 *     inputs     the group's columns, categories that tell a series, and then its time, a number;
 *                of dates that is their age (inputs/cells/dates.h); behind it regressors, numbers
 *     series     one for each group of the training rows, ascending by their ids
 *     steps      1 to `horizon` behind the last time of a series, evenly spaced; and where the
 *                history is kept 0, the last time itself, back to -(history - 1)
 *
 * Each step of each series has the expected number, as three floats whose sum it is, and the
 * deviation of the values from it. One of the history is expected after all that is before it; the
 * first value of a series, and what is before it, has no such number. With regressors that is the
 * number where all of them are 0, and each series has their coefficients, which are 0 where it was
 * learned without them. The effects of holidays are in the numbers; their coefficients are there to
 * be looked at.
 */
#pragma once

#include "forecast/regressors.h"
#include "forecast/time/steps.h"
#include "kinds/forecast/forecast_attributes.h"
#include "kinds/forecast/forecast_limits.h"
#include "kinds/forecast/holidays.h"
#include "scoring/model.h"

#define FORECAST_GROUPS_MAX 8  /* columns that tell a series */
#define NUMBER_PARTS        3  /* floats whose sum is a double */
#define LAMBDAS             10 /* number that a lambda of 1 is stored as */

/* A whole number of 62 bits as three floats: each has 22 bits of it, the first the sign. */
#define INTEGER_PARTS 3

/* The hash of a series' words as floats: each has 22 bits of it. */
#define NAME_PARTS 2

/* Facts of a series, by their places in `facts`. */
enum series_fact {
    FACT_FIRST = 0,            /* INTEGER_PARTS: the time of step 0 */
    FACT_LAST = INTEGER_PARTS, /* the step of the last value that is known */
    FACT_SEASON,               /* values of one; 1: none was found */
    FACT_COUNT,                /* values that are known */
    FACT_POSITIVE,             /* 1: no bound is below 0, as no value was */
    SERIES_FACTS
};
/* Numbers of a step, by their places in `forecasts`. */
enum step_number { STEP_VALUE = 0, STEP_DEVIATION = NUMBER_PARTS, STEP_NUMBERS };

/* Levels of intervals that models have reaches of. */
#define FORECAST_LEVELS 5
extern const double forecast_levels[FORECAST_LEVELS];
extern const double
    forecast_normals[FORECAST_LEVELS]; /* their reaches in the normal distribution */

/* The kinds of times. */
enum forecast_times { FORECAST_NUMBERS, FORECAST_DATES, FORECAST_MOMENTS };

/* How the series of a model came to be that went on from another (USING): not in it; with rows that
 * are new; with none; fitted anew, as what was kept of it did not go with its rows. */
enum series_way { WAY_NEW, WAY_MOVED, WAY_STAYED, WAY_ANEW, SERIES_WAYS };

#define FORECAST_KEPT_MAX 4096 /* numbers of a series */

/* Counted as a model is written, for those who read its meta row alone. */
#define SEASONS_SHOWN 4

struct forecast_found {
    bool has_integers[FORECAST_GROUPS_MAX]; /* words of a column are whole numbers without a sign
                                               or zeros too many, or NULL */
    uint32_t season_count;
    struct found_season {
        uint32_t length;      /* 1: none was found */
        uint32_t series;      /* number of series that have it */
    } seasons[SEASONS_SHOWN]; /* those of most series, these first */
    struct found_regressor {
        uint32_t series; /* number of series with a coefficient that is not 0 */
        double median;   /* their middle one; the mean of two; 0 where there are none */
    } regressors[REGRESSORS_MAX], holidays[HOLIDAYS_MAX];
};

struct forecast_model {
    uint32_t groups;                   /* columns; 0: all rows are one series */
    uint32_t regressors;               /* columns, at most REGRESSORS_MAX */
    uint32_t series;                   /* at least 1 */
    uint32_t horizon;                  /* steps */
    uint32_t history;                  /* steps up to the last value that are kept, too */
    enum forecast_hierarchy hierarchy; /* with one there are totals, which have -1 for the id of
                                          each column that they are over, the last ones */
    enum forecast_times times;
    bool is_transformed;  /* whether lambdas are stored */
    const float *lambdas; /* (series): of transform.h, in tenths; what the series'
                             numbers are, coefficients among them */
    struct forecast_limits limits;
    double level;         /* level of the intervals where none is asked for */
    enum step_unit unit;  /* unit of the steps of all series */
    int64_t size;         /* and how many make one (forecast/time/steps.h) */
    bool has_reaches;     /* whether the array is stored */
    const float *reaches; /* (FORECAST_LEVELS, horizon): how many deviations an interval of the
                             level reaches upwards, by the errors of the past; NULL: as in the
                             normal distribution, to either side */
    bool has_below;       /* whether that array is stored; older models have one for both */
    const float *reaches_below; /* the same downwards; NULL: as upwards */
    bool has_names;             /* whether that array is stored; older models lack it */
    const float *names; /* (series, NAME_PARTS): hash of the words of each, by which a series that
                           is read alone is known to be the one that was learned; NULL: unknown */
    const float *ids;   /* (series, groups): words of the category; NULL without groups */
    const float *facts; /* (series, SERIES_FACTS) */
    const float *forecasts; /* (series, horizon * STEP_NUMBERS) */
    const float *expected;  /* (series, history * STEP_NUMBERS), the last value's last: a deviation
                               below 0 where nothing is expected */
    const float *coefficients; /* (series, regressors * NUMBER_PARTS); NULL without regressors */
    struct holidays holidays;  /* holidays, in the order of the effects */
    const float *effects;      /* (series, holidays.count * NUMBER_PARTS): of a day of each */
    uint32_t kept;             /* numbers of each series that are kept (forecast_kept.h); 0: none */
    const float *numbers;      /* (series, kept * KEPT_PARTS) */
    const float *past; /* (series, fitted.values * KEPT_PARTS): last values, the newest last */
    uint32_t ways[SERIES_WAYS];         /* numbers of series; 0, too, where nothing is kept */
    struct forecast_params fitted;      /* attributes that the kept numbers depend on */
    const struct forecast_found *found; /* NULL: it was not stored yet */
};

static inline const struct forecast_model *forecast_of(const struct model *model)
{
    return model->content;
}

static inline const float *forecast_reaches_below(const struct forecast_model *forecast)
{
    return forecast->reaches_below ? forecast->reaches_below : forecast->reaches;
}

/* Without its arrays where the meta row alone was read. */
static inline const struct forecast_model *forecast_outline(const struct model *model)
{
    return model->outline;
}

/* NO_MEMORY alone. */
enum status forecast_count(const struct model *model, struct forecast_found *found,
                           struct error *err);

/* ---- numbers as floats ---- */

/* A double below FLT_MAX as floats whose sum, from the last to the first, is it. */
void number_to_parts(double number, float parts[NUMBER_PARTS]);
double number_of_parts(const float parts[NUMBER_PARTS]);
/* From -2^62 to 2^62. */
void integer_to_parts(int64_t integer, float parts[INTEGER_PARTS]);
int64_t integer_of_parts(const float parts[INTEGER_PARTS]);

/* The hash of the words that a series has by its ids. */
void forecast_name_hash(const struct model *model, uint32_t series, float parts[NAME_PARTS]);

/* ---- a series ---- */

/* The series that has these ids (groups), counted from the words of each category; false: the
 * training rows had none such. */
bool forecast_find(const struct forecast_model *forecast, const int32_t *ids, uint32_t *series);

struct steps forecast_steps(const struct forecast_model *forecast, uint32_t series);

struct forecast_step {
    int64_t time; /* a number, or microseconds since 1970 */
    double value, lower, upper;
    double deviation; /* the model's own, as its numbers are */
};

/* A level between those that models have reaches of: it lies `share` of the way from the level
 * `below` to the next one. `normal`: of the normal distribution. */
struct forecast_interval {
    uint32_t below;
    double share, normal;
};
struct forecast_interval forecast_interval_of(double level);

/* Step `ahead`, one that forecast_ahead gave, or any from 1 to the horizon; of a model with
 * regressors it is finished by forecast_add_regressors. */
struct forecast_step forecast_step_of(const struct forecast_model *forecast, uint32_t series,
                                      int64_t ahead, const struct forecast_interval *interval);
/* The coefficient of regressor `i` in a series. */
double forecast_coefficient(const struct forecast_model *forecast, uint32_t series, uint32_t i);
/* The effect that a day of holiday `i` has on the numbers of a series. */
double forecast_holiday_effect(const struct forecast_model *forecast, uint32_t series, uint32_t i);
/* The same with regressors (regressors), none of them NAN. */
void forecast_add_regressors(const struct forecast_model *forecast, uint32_t series,
                             const double *regressors, struct forecast_step *step);
/* How many steps behind the last value a time is; false: it has no forecast, as it is before what
 * is kept of the history, farther than the horizon, or between two steps. */
bool forecast_ahead(const struct forecast_model *forecast, uint32_t series, int64_t time,
                    int64_t *ahead);

/* The probability that a value at such a step lies nearer to what is expected, by the same
 * deviations that intervals have: above a level where it is outside of its interval. 1 for a value
 * beyond the limits, or below 0 of a series that has none. regressors (regressors): the step's,
 * none of them NAN. */
double forecast_anomaly(const struct forecast_model *forecast, uint32_t series, int64_t ahead,
                        const double *regressors, double value);

/* ---- a row ---- */

/* Columns of the group, in a model and in the rows that it is learned from. */
static inline uint32_t forecast_groups(const struct transform *transform)
{
    uint32_t groups = 0;

    while (groups < transform->input_count && transform->inputs[groups].spec.type == INPUT_CATEGORY)
        groups++;
    return groups;
}
/* The time's input, behind those of the group; there is one. */
static inline const struct transform_input *forecast_time_input(const struct transform *transform)
{
    return &transform->inputs[forecast_groups(transform)];
}
/* The inputs behind the time. */
static inline uint32_t forecast_regressors(const struct transform *transform)
{
    return transform->input_count - forecast_groups(transform) - 1;
}

/* The series of a row, of its ids (transform->id_count); false: the training rows had none such. */
bool forecast_row_series(const struct model *model, const int32_t *ids, uint32_t *series);

/* The time of a row, of its dense inputs; false: it is NULL, or none that series have. */
bool forecast_time(const struct transform *transform, const float *dense, int64_t *time);

/* Regressors of a row, of its dense inputs, into regressors (forecast_regressors): NAN where one is
 * NULL. */
void forecast_row_regressors(const struct transform *transform, const float *dense,
                             double *regressors);

/* A whole number as SQL writes it: 7 and -7, but not 07, +7 or -0. */
bool forecast_is_integer(struct slice word, int64_t *integer);
/* The word that a series has in a column of its group; without data where that was NULL. */
struct slice forecast_word(const struct model *model, uint32_t series, uint32_t group);
