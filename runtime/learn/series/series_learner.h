/*
 * series_learner.h - the learner of series.h, as its files share it.
 *
 *     series.c        state, phases, model; the functions here
 *     series_grow.c   trees that all series share
 *     series_lanes.c  shares of the lanes in each phase
 *     series_rows.c   rows of one series
 */
#pragma once

#include "forecast/time/common_steps.h"
#include "runtime/learn/learner.h"
#include "runtime/learn/series/series_grow.h"
#include "runtime/learn/series/series_model.h"
#include "runtime/learn/series/series_old.h"
#include "runtime/learn/series/series_totals.h"

/* The fields of the state. */
#define SERIES_FIELDS(F)                                                                           \
    F(FLAG, is_counted, FIELD_ANY, "COUNT is over")                                                \
    F(U32, trees, FIELD_ANY, "GROW: finished trees, and of the next one")                          \
    F(U32, level, FIELD_ANY, "levels that are split")                                              \
    F(U32, range, FIELD_ANY, "FIT: of each lane, that range, and of its")                          \
    F(U32, part, FIELD_ANY, "series [part * each, + each)")                                        \
    F(U64, done, FIELD_ANY, "records")                                                             \
    F(U64, summed, FIELD_ANY, "SUM: sums of totals")                                               \
    F(U64, trail, FIELD_ANY, "a hash of all totals so far")

struct series_progress {
    SERIES_FIELDS(FIELD_MEMBER)
};

/* Space of one of the team. */
struct series_member {
    struct point *points;
    int64_t *times;
    double *regressors; /* (room, plan's) */
    uint64_t room;      /* points */
};

/* One series that is fitted, or counted. */
struct series_task {
    uint64_t first, end; /* rows */
    int64_t *record;     /* (width) */
    struct error error;
};

struct series_learner {
    struct learner learner;
    struct series_plan plan;
    struct series_olds olds;
    uint32_t groups, width, each; /* each: series of a lane in a phase */
    struct series_progress progress;
    int64_t *counts;  /* COMMON_STEPS_COUNTS, then (lanes * ranges) series of each range, and in a
                         hierarchy again so many: the last time of each, or 0 (series_end_word) */
    int64_t *records; /* (total + totals.count, width), of which `done` are there; NULL until they
                         are counted */
    uint64_t total;   /* series of the rows */
    int64_t *sums;    /* (totals.sums), of which progress.summed are there */
    struct series_totals totals; /* none until all series of the rows are fitted */
    struct series_member members[TEAM_SIZE_MAX];
    struct series_task *tasks; /* (each) */
    int64_t *fitted;           /* (each, width) */
    struct series_grow grow;   /* no rounds: the method has no trees */
    bool is_measured;
    struct series_model model;
};

enum series_stage { STAGE_COUNT, STAGE_GROW, STAGE_FIT, STAGE_SUM, STAGE_TOTALS, STAGE_DONE };
enum series_stage series_stage(const struct series_learner *series);

static inline uint32_t series_ranges(const struct series_learner *series)
{
    return series->learner.lanes * series->learner.ranges;
}
static inline uint32_t series_count_elements(const struct series_learner *series)
{
    const uint32_t each = series->plan.hierarchy == HIERARCHY_NONE ? 1 : 2;

    return COMMON_STEPS_COUNTS + each * series_ranges(series);
}

/* How many series, or totals, of a lane the phase fits, and of all lanes before it. */
uint32_t series_of_lane(const struct series_learner *series, uint32_t lane);
uint32_t series_before(const struct series_learner *series, uint32_t lane);

/* The totals [first, end) whose sums the phase adds up. */
void series_summed_now(const struct series_learner *series, uint32_t *first, uint32_t *end);
/* The first total of a lane that the phase fits. */
uint32_t series_first_total(const struct series_learner *series, uint32_t lane);

/* A last time as a word of the counts, where 0 says that there is none. */
static inline int64_t series_end_word(int64_t time)
{
    return time + (INT64_C(1) << 60);
}
static inline int64_t series_end_time(int64_t word)
{
    return word - (INT64_C(1) << 60);
}
