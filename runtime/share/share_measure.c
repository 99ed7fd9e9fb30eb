#include "runtime/share/share_measure.h"

#include <math.h>

#define SETTLE    4   /* a window begins after a fourth of its length */
#define HALF_MOST 8   /* windows of the size: a half that takes longer is given up */
#define HALF_COST 1.5 /* windows of the size */

void share_measure_open(struct share_measure *measure, uint32_t lanes, uint32_t least,
                        uint32_t most, struct share_window window)
{
    *measure = (struct share_measure){.least = least,
                                      .most = most,
                                      .window = window,
                                      .curve = {.lanes = lanes},
                                      .paces = {.lanes = lanes}};
}

void share_measure_remember(struct share_measure *measure, const struct share_paces *before)
{
    if (before->lanes == measure->curve.lanes)
        measure->before = *before;
}

void share_measure_again(struct share_measure *measure)
{
    measure->from_ms = 0;
}

static void begin(struct share_measure *measure, enum share_stage stage, int64_t now_ms)
{
    measure->stage = stage;
    measure->since_ms = now_ms;
    measure->from_ms = 0;
}

void share_measure_stop(struct share_measure *measure)
{
    begin(measure, SHARE_RESTS_NOW, 0);
    measure->size = measure->tries = 0;
}

void share_measure_give_up(struct share_measure *measure, int64_t now_ms)
{
    measure->tries = SHARE_MEASURE_TRIES;
    begin(measure, SHARE_RESTS_NOW, now_ms);
}

/* ----- what is known ----- */

static bool is_measured(const struct share_measure *measure, uint32_t workers)
{
    return measure->paces.count == SHARE_MEASURE_SIZES ||
           share_paces_of(&measure->paces, workers) > 0;
}

static void add_point(struct share_measure *measure, uint32_t workers, double seconds)
{
    share_paces_add(&measure->paces, (struct share_point){workers, seconds});
}

/* Earlier jobs have measured this size, and another one. */
static bool is_remembered(const struct share_measure *measure, uint32_t workers)
{
    return measure->before.count > 1 && share_paces_of(&measure->before, workers) > 0;
}

/* The times that this job takes as long as earlier ones: of the newest size that both have
 * measured, else of the newest size by the earlier ones' curve. */
static double times_of(const struct share_measure *measure)
{
    const struct share_paces *own = &measure->paces, *before = &measure->before;

    for (size_t i = own->count; i-- > 0;)
        if (share_paces_of(before, own->points[i].workers) > 0)
            return own->points[i].seconds / share_paces_of(before, own->points[i].workers);
    return own->points[own->count - 1].seconds /
           share_paces_expected(before, own->points[own->count - 1].workers);
}

/* The sizes that were measured, then those of earlier jobs, where they had two at least. */
static struct share_paces join(const struct share_measure *measure)
{
    struct share_paces all = measure->paces;
    double times;

    if (measure->before.count < 2)
        return all;
    times = times_of(measure);
    for (size_t i = 0; i < measure->before.count; i++) {
        const struct share_point *point = &measure->before.points[i];

        share_paces_add(&all, (struct share_point){point->workers, times * point->seconds});
    }
    return all;
}

/* By lanes alone: the curve as it is known may say that none but the least number pays. */
static uint32_t half_of(const struct share_measure *measure, uint32_t workers)
{
    const struct share_curve stairs = {.lanes = measure->curve.lanes};

    return workers / 2 <= measure->least
               ? measure->least
               : share_curve_down(&stairs, workers / 2, measure->least, measure->most);
}

static enum share_move decide(struct share_measure *measure)
{
    const uint32_t size = measure->size;
    const struct share_paces all = join(measure);

    share_measure_stop(measure);
    measure->curve = share_curve_fit(measure->curve.lanes, all.points, all.count);
    measure->useful = share_paces_useful(&all, &measure->curve, measure->least, measure->most);
    measure->reached = size < measure->useful ? size : measure->useful;
    return SHARE_FITTED;
}

/* ----- windows ----- */

/* Seconds of a row, when the window is over; else 0. */
static double pace_of(struct share_measure *measure, const struct share_moment *moment)
{
    const int64_t window_ms = measure->window.ms << measure->tries;

    if (moment->now_ms - measure->since_ms < window_ms / SETTLE)
        return 0;
    if (measure->from_ms == 0 || moment->rows < measure->from_rows) {
        measure->from_ms = moment->now_ms;
        measure->from_rows = moment->rows;
        measure->notes = 0;
        return 0;
    }
    if (++measure->notes < measure->window.notes << measure->tries ||
        moment->now_ms - measure->from_ms < window_ms || moment->rows == measure->from_rows)
        return 0;
    return (double)(moment->now_ms - measure->from_ms) / 1000 /
           (double)(moment->rows - measure->from_rows);
}

/* Does it cost little beside what is left? */
static bool pays(const struct share_measure *measure, const struct share_moment *moment)
{
    return moment->seconds_left >= 0 &&
           HALF_COST * (double)measure->length_ms / 1000 + moment->move_seconds <=
               SHARE_MEASURE_PART * moment->seconds_left;
}

static enum share_move on_full(struct share_measure *measure, const struct share_moment *moment,
                               double pace)
{
    measure->half = half_of(measure, measure->size);
    measure->length_ms = moment->now_ms - measure->since_ms;
    if (measure->paces.count > 0 || measure->half >= measure->size ||
        is_remembered(measure, measure->size)) {
        add_point(measure, measure->size, pace);
        return decide(measure);
    }
    if (!pays(measure,
              moment)) { /* it is tried again as long as the job runs: that costs nothing */
        begin(measure, SHARE_RESTS_NOW, moment->now_ms);
        return SHARE_STAY;
    }
    measure->first = pace;
    begin(measure, SHARE_HALF, moment->now_ms);
    return SHARE_HALVE;
}

static enum share_move on_again(struct share_measure *measure, const struct share_moment *moment,
                                double pace)
{
    const double mean = (measure->first + pace) / 2;
    const double differs = fabs(measure->first - pace);
    /* However much they differ, half that is faster by more than that needs no more workers. */
    const bool is_half_faster = fmin(measure->first, pace) - measure->there > differs;

    if (differs > SHARE_MEASURE_SAME * mean && !is_half_faster) {
        measure->tries++;
        begin(measure, measure->tries < SHARE_MEASURE_TRIES ? SHARE_FULL : SHARE_RESTS_NOW,
              moment->now_ms);
        return SHARE_STAY;
    }
    add_point(measure, measure->half, measure->there);
    add_point(measure, measure->size, mean);
    return decide(measure);
}

static enum share_move on_window(struct share_measure *measure, const struct share_moment *moment,
                                 double pace)
{
    switch (measure->stage) {
    case SHARE_FULL:
        return on_full(measure, moment, pace);
    case SHARE_HALF:
        measure->there = pace;
        begin(measure, SHARE_AGAIN, moment->now_ms);
        return SHARE_RESTORE;
    default:
        return on_again(measure, moment, pace);
    }
}

/* A size that has not been measured yet, and that was not tried in vain. */
static bool is_new(const struct share_measure *measure, const struct share_moment *moment)
{
    return moment->workers >= measure->least && !is_measured(measure, moment->workers) &&
           (measure->size != moment->workers || measure->tries < SHARE_MEASURE_TRIES);
}

enum share_move share_measure_note(struct share_measure *measure, const struct share_moment *moment)
{
    const bool is_half = measure->stage == SHARE_HALF;
    double pace;

    if (measure->least >= measure->most)
        return SHARE_STAY;
    if (moment->workers > measure->reached && moment->workers <= measure->useful)
        measure->reached = moment->workers;
    if (measure->stage == SHARE_RESTS_NOW) {
        if (!is_new(measure, moment))
            return SHARE_STAY;
        measure->tries = measure->size == moment->workers ? measure->tries : 0;
        measure->size = moment->workers;
        begin(measure, SHARE_FULL, moment->now_ms);
    }
    if (is_half && moment->now_ms - measure->since_ms > HALF_MOST * measure->length_ms) {
        share_measure_give_up(measure, moment->now_ms);
        return SHARE_RESTORE;
    }
    if (moment->workers != (is_half ? measure->half : measure->size)) {
        if (!is_half && measure->stage != SHARE_AGAIN)
            share_measure_stop(measure);
        return SHARE_STAY; /* the group is about to change */
    }
    pace = pace_of(measure, moment);
    return pace > 0 ? on_window(measure, moment, pace) : SHARE_STAY;
}

/* ----- what follows ----- */

uint32_t share_measure_wanted(const struct share_measure *measure, uint32_t workers,
                              double seconds_left, double start_seconds)
{
    const uint32_t useful = measure->useful;
    double saved;

    if (useful == 0 || useful <= workers)
        return useful;
    saved = seconds_left * (1 - share_curve_time(&measure->curve, useful) /
                                    share_curve_time(&measure->curve, workers));
    if (seconds_left < 0 || saved > start_seconds)
        return useful;
    return measure->reached > workers ? measure->reached : workers;
}
