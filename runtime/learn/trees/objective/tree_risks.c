#include "runtime/learn/trees/objective/tree_risks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scoring/numbers/elementary.h"

#define OUTPUT_MOST  40 /* e^40 < 2^60: hazards beyond say no more */
#define HAZARD_UNITS 0x1p60
#define PART_BITS    30

/* ---- times ---- */

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

enum status tree_risks_init(struct tree_risks *risks, const float *labels, size_t n,
                            struct error *err)
{
    *risks = (struct tree_risks){
        .times = malloc((n + 1) * sizeof *risks->times),
        .risks = calloc(n + 1, sizeof *risks->risks),
    };
    if (!risks->times || !risks->risks) {
        tree_risks_deinit(risks);
        return fail_no_memory(err);
    }
    for (size_t i = 0; i < n; i++)
        risks->times[i] = fabsf(labels[i]);
    qsort(risks->times, n, sizeof *risks->times, by_size);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || risks->times[i] > risks->times[risks->count - 1])
            risks->times[risks->count++] = risks->times[i];
    if (risks->count == 0)
        risks->times[risks->count++] = 0;
    return STATUS_OK;
}

void tree_risks_deinit(struct tree_risks *risks)
{
    free(risks->times);
    free(risks->risks);
    *risks = (struct tree_risks){0};
}

/* The first that is not before the label's; of those after the last one the last. */
static uint32_t time_of(const struct tree_risks *risks, float label)
{
    const float time = fabsf(label);
    uint32_t first = 0, last = risks->count - 1;

    while (first < last) {
        const uint32_t middle = first + (last - first) / 2;

        if (risks->times[middle] < time)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* ---- sums ---- */

static double bounded(float z)
{
    const double most = OUTPUT_MOST, x = (double)z;

    return x < -most ? -most : x > most ? most : x;
}

static void add_hazard(double hazard, int64_t *parts)
{
    unsigned __int128 units = (unsigned __int128)(hazard * HAZARD_UNITS);

    for (int i = 0; i < TREE_RISK_INTEGERS - 1; i++, units >>= PART_BITS)
        parts[i] += (int64_t)(units & (((uint64_t)1 << PART_BITS) - 1));
}

static double sum_of(const int64_t *parts)
{
    double sum = 0;

    for (int i = TREE_RISK_INTEGERS - 2; i >= 0; i--)
        sum = sum * (double)((uint64_t)1 << PART_BITS) + (double)parts[i];
    return sum / HAZARD_UNITS;
}

void tree_risks_count(const struct tree_risks *risks, size_t n, const float *y, const float *z,
                      int64_t *sums)
{
    for (size_t i = 0; i < n; i++) {
        int64_t *of_time = sums + (size_t)time_of(risks, y[i]) * TREE_RISK_INTEGERS;

        of_time[0] += y[i] > 0;
        add_hazard(exponential_double(bounded(z[i])), of_time + 1);
    }
}

/* Hazards are added from the last time on: of those at risk no digits are lost. */
static void add_up(struct tree_risks *risks, const int64_t *sums, bool are_held_out)
{
    int64_t total[TREE_RISK_INTEGERS - 1] = {0};

    for (uint32_t i = risks->count; i-- > 0;) {
        for (int part = 0; part < TREE_RISK_INTEGERS - 1; part++)
            total[part] += sums[(size_t)i * TREE_RISK_INTEGERS + 1 + (size_t)part];
        if (are_held_out)
            risks->risks[i].held_out = sum_of(total);
        else
            risks->risks[i].logarithm = sum_of(total);
    }
}

static double logarithm_of(double sum)
{
    return sum > 0 ? logarithm_double(sum) : 0;
}

void tree_risks_take(struct tree_risks *risks, const int64_t *sums, const int64_t *held_out)
{
    double rate = 0, square = 0;

    add_up(risks, sums, false);
    add_up(risks, held_out, true);
    for (uint32_t i = 0; i < risks->count; i++) {
        struct tree_risk *risk = &risks->risks[i];
        const double events = (double)sums[(size_t)i * TREE_RISK_INTEGERS];

        if (events > 0) {
            rate += events / risk->logarithm;
            square += events / (risk->logarithm * risk->logarithm);
        }
        *risk = (struct tree_risk){rate, square, logarithm_of(risk->logarithm),
                                   logarithm_of(risk->held_out)};
    }
}

/* ---- rows ---- */

void tree_risks_derive(const struct tree_risks *risks, size_t n, const float *y, const float *z,
                       float *gradients, float *hessians)
{
    for (size_t i = 0; i < n; i++) {
        const struct tree_risk *risk = &risks->risks[time_of(risks, y[i])];
        const double hazard = exponential_double(bounded(z[i]));
        const double part = hazard * risk->rate;
        const double hessian = part - hazard * hazard * risk->square;

        gradients[i] = (float)(part - (y[i] > 0 ? 1 : 0));
        hessians[i] = (float)(hessian > 0 ? hessian : 0);
    }
}

uint32_t tree_risks_losses(const struct tree_risks *risks, bool are_held_out, size_t n,
                           const float *y, const float *z, double *losses)
{
    uint32_t events = 0;

    for (size_t i = 0; i < n; i++) {
        const struct tree_risk *risk = &risks->risks[time_of(risks, y[i])];
        const double loss = (are_held_out ? risk->held_out : risk->logarithm) - bounded(z[i]);

        losses[i] = y[i] > 0 && loss > 0 ? loss : 0;
        events += y[i] > 0;
    }
    return events;
}
