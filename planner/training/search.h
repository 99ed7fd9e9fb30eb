/*
 * search.h - tune.trials: values of attributes are drawn, trained with, and judged by a metric.
 *
 *     WITH tune.trials = 20, a = RANGE(1e-4, 1e-1), b = ['x', 'y'], c = 3
 *         |  axes a and b, and for each trial a place on them   search_plan
 *         v
 *     WITH a = 0.0123, b = 'y', c = 3                           search_statement, trial by trial
 *
 * A trial is a statement as any other, with drawn values where the search has choices. The plan of
 * a search is the plan of its first trial, beside the search itself; who runs it plans the others
 * when their turn comes. All of them were planned once before the first row is read: a value that
 * does not go together with the others is an error of the statement.
 */
#pragma once

#include "planner/attributes/search_space.h"
#include "planner/plan/plan.h"

enum search_method { SEARCH_RANDOM, SEARCH_HALVING };

/* Rows that are held out where the statement says nothing of them. */
#define SEARCH_HELD_OUT "0.2"

/* TO TRAIN AUTO: a kind of model, with values for it. */
struct candidate {
    const char *estimator;
    const struct setting *settings; /* (count) */
    size_t count;                   /* 0: its defaults */
};

struct search {
    struct search_space space;    /* empty where there are candidates */
    struct candidate *candidates; /* (trials): TO TRAIN AUTO (auto_kinds.h); else NULL */
    uint32_t trials;           /* trials that are run: in a small space fewer than are asked for */
    const struct value *drawn; /* (trials, axes) */
    enum search_method method;
    struct slice metric; /* the metric's name in results: "loss", "RMSE" */
    int metric_position; /* -1: the statement does not name it */
    bool is_loss;        /* less of it is better */
    double max_seconds;  /* no trial begins after them; 0: all do */
    bool holds_out;      /* SEARCH_HELD_OUT is set for the trials */
    int position;        /* position of the number of trials in the text */
};

struct planning;

/* plan->search, where the statement has one; planning->statement is that of the first trial then.
 * INVALID for values that cannot be drawn, with a RANGE also where no search is asked for. Once
 * the estimator is known. */
enum status search_plan(struct planning *planning);
/* The same of TO TRAIN AUTO, which begins with plan->estimator. */
enum status search_plan_auto(struct planning *planning);
/* Metric and method, and whether all other trials can be planned, as plan_trial plans them. When
 * the first is planned; `whole` is the statement with the search. */
enum status search_plan_others(struct planning *planning, const struct statement *whole,
                               enum status (*plan_trial)(struct planning *planning));

/* Trial `number`, from 0: the statement with its values, without tune.*. It borrows from both, and
 * its settings live in the arena. */
enum status search_statement(const struct search *search, const struct statement *statement,
                             uint32_t number, struct arena *arena, struct statement *trial,
                             struct error *err);
/* Its values as WITH would have them: "max_depth = 6, eta = 0.1234". */
void search_append_values(const struct search *search, uint32_t number, struct text *out);

/* The axis of this attribute; NULL: it is not searched, or there is no search. */
const struct search_axis *search_axis_of(const struct search *search,
                                         const struct attribute *attribute);
/* Is it one of tune.*, which a statement without a search does not show? */
bool search_knows(const char *name);

/* Are trials judged by rows that they do not learn from? */
bool search_is_held_out(const struct plan *plan);
/* Adds the notice that the model which is written has not learned from such rows. */
void search_notice(const struct plan *plan);

/* ----- halving ----- */

/* In stage s of S, counted from 0, each of the trials that are left learns 3^(s - S + 1) of its
 * length, once more from its beginning; the best third of them, rounded up, is left for the next.
 * So the last stage has whole lengths, and no stage is shorter than one epoch or round. `length` is
 * the least of the trials'. A search by 'random' has one stage. */
uint32_t search_stages(const struct search *search, uint32_t length);
uint32_t search_left(uint32_t trials); /* for the next stage */
uint32_t search_shortened(uint32_t length, uint32_t stage, uint32_t stages); /* at least 1 */
/* How many whole trainings all trials together are, about. */
double search_work(const struct search *search);
/* How many trainings the trials are, shortened ones among them; by halving at most. */
uint32_t search_trainings(const struct search *search);

/* The attribute that halving shortens: rounds of trees; NULL: epochs. False: the estimator has
 * neither. */
bool search_length(const struct estimator *estimator, const struct attribute **rounds);
