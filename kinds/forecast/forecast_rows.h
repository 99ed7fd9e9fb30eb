/*
 * forecast_rows.h - a stored forecast as rows: for each series its steps, one at a time.
 *
 *     forecast_rows_open --forecast_rows_next, until it is false--> forecast_rows_close
 *
 * Series come by the words of their group, column by column, NULL first: by value where all words
 * of a column are numbers, else by bytes. Beside the model an open one takes a few bytes for each
 * series and each word.
 */
#pragma once

#include "base/cell_values.h"
#include "base/stop.h"
#include "forecast/time/time_text.h"
#include "kinds/forecast/forecast_model.h"

#define FORECAST_LEVEL_LEAST 0.5
#define FORECAST_LEVEL_MOST  0.999

struct forecast_ask {
    const int64_t *steps;       /* NULL: the model's horizon */
    const double *level;        /* NULL: the model's */
    const struct slice *series; /* by the name of forecast_rows_series alone; NULL: all of them */
    bool is_of_names;           /* series alone are asked for, and nothing of steps to come */
};

struct forecast_rows {
    const struct model *model; /* borrowed */
    uint32_t steps;
    struct forecast_interval interval;
    uint32_t *order; /* (series): their numbers as they come */
    uint32_t series_count;
    struct text name;
    uint64_t next; /* row */

    /* the row that forecast_rows_next gave */
    uint32_t series;
    struct forecast_step step;
};

/* INVALID, with a hint, for a model of another kind, or one whose regressors nobody gives where
 * they count, and for more steps or another level than there can be. A series that the model does
 * not have is none. */
enum status forecast_rows_open(struct forecast_rows *rows, const struct model *model,
                               const struct forecast_ask *ask, const struct stop *stop,
                               struct error *err);
/* Does nothing where it was not opened, and is zero. */
void forecast_rows_close(struct forecast_rows *rows);

bool forecast_rows_next(struct forecast_rows *rows);

/* The word of a column of the group: NULL, an integer where all of its words are, else a text.
 * CORRUPT where the model says that they are and they are not. */
enum status forecast_rows_group(const struct forecast_rows *rows, uint32_t group, struct cell *cell,
                                struct error *err);
/* The series by one name: the word of its group as a text, of several columns a JSON array of
 * them, NULL without a group. It stays until the next call. */
enum status forecast_rows_series(struct forecast_rows *rows, struct cell *cell, struct error *err);
/* A number, or a text in `buffer`. */
struct cell forecast_rows_time(const struct forecast_rows *rows, char buffer[TIME_BYTES]);

/* ---- what a statement or a call asks for ---- */

/* INVALID, without a place, and with a hint. */
enum status forecast_check_kind(const struct kind *kind, struct slice estimator, struct error *err);
/* For a model without regressors nothing. columns (count): those that a row of it has. */
enum status forecast_check_regressors(uint32_t regressors, const struct slice *columns,
                                      size_t count, struct slice label, struct error *err);
enum status forecast_check_steps(const struct forecast_model *forecast, int64_t steps,
                                 struct error *err);
enum status forecast_check_level(double level, struct error *err);
