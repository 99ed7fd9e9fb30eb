/*
 * series_old.h - USING: the series of the model that is gone on from, as those of the rows.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"
#include "runtime/learn/series/series_fit.h"

struct series_olds {
    const struct forecast_model *forecast; /* NULL: nothing is gone on from */
    int32_t *words[FORECAST_GROUPS_MAX]; /* the old model's word for each of the rows'; -1: none */
};

/* INVALID where the old model's columns are others than those of the rows, or its holidays others
 * than these (NULL: none). */
enum status series_olds_open(const struct dataset *dataset, uint32_t groups,
                             const struct holidays *holidays, struct series_olds *olds,
                             struct error *err);
void series_olds_close(struct series_olds *olds);

/* The time up to which all series of the old model go, one with a hierarchy. */
int64_t series_olds_end(const struct series_olds *olds);

/* INVALID where the rows have another step than the old model. */
enum status series_olds_check_steps(const struct series_olds *olds, const struct steps *steps,
                                    struct error *err);

/* ids (groups): of a record, or a total. *is_there: the old model has the series; what is in *old
 * is the arena's. */
enum status series_olds_find(const struct series_olds *olds, const int64_t *ids,
                             struct arena *arena, struct series_old *old, bool *is_there,
                             struct error *err);
