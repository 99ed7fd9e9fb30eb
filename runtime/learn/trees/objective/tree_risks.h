/*
 * tree_risks.h - Cox's proportional hazards: who was at risk when events happened.
 *
 *     tree_risks_init --count: rows by time--> sums over all rows --take--> derive, losses
 *
 * A label is a time: positive where the event happened then, negative where the row was lost from
 * sight (censored) then, as XGBoost has it. A row's gradient needs the hazards e^z of all rows that
 * were still there at each event before it. Rows are counted by time: times are those of the data
 * set's sample, so of up to 16,384 training rows each is told apart, and of more rows as many times
 * as the sample has, each standing for those since the one before. Events of one time are tied as
 * Breslow has it: all rows of the time are at risk at each.
 *
 * A hazard is a whole number of 2^-60, in four parts of 30 bits, whose sums are exact.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define TREE_RISK_INTEGERS 5   /* integers of a time: events, then the parts of the hazards' sum */
#define RISK_LOSS_MOST     128 /* an event's loss */

/* The sums of a time. Without padding: the state is read as bytes. */
struct tree_risk {
    double rate, square;        /* sums over the events so far of 1 / s and 1 / s^2, where s is the
                                 * sum of the hazards that were at risk */
    double logarithm, held_out; /* log(s) of this time: of the training rows, of those held out */
};

struct tree_risks {
    float *times; /* (count): in order, all different */
    struct tree_risk *risks;
    uint32_t count;
};

/* labels (n): of the sample. NO_MEMORY. */
enum status tree_risks_init(struct tree_risks *risks, const float *labels, size_t n,
                            struct error *err);
void tree_risks_deinit(struct tree_risks *risks); /* also of zeros */

/* sums (count, TREE_RISK_INTEGERS) grow by the rows with labels y and outputs z. */
void tree_risks_count(const struct tree_risks *risks, size_t n, const float *y, const float *z,
                      int64_t *sums);
/* The sums over all training rows, and over all that are held out. */
void tree_risks_take(struct tree_risks *risks, const int64_t *sums, const int64_t *held_out);

/* Derivatives as in XGBoost 3.2, but for ties: of tied events XGBoost counts those before a row's
 * own in the order of the rows. */
void tree_risks_derive(const struct tree_risks *risks, size_t n, const float *y, const float *z,
                       float *gradients, float *hessians);
/* The loss of an event is log(s) - z, of another row 0: their sum divided by the number of events
 * is XGBoost's cox-nloglik. Returns how many events there are. */
uint32_t tree_risks_losses(const struct tree_risks *risks, bool are_held_out, size_t n,
                           const float *y, const float *z, double *losses);
