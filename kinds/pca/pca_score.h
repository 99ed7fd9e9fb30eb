/*
 * pca_score.h - rows through a stored model of principal components.
 *
 * Sums in double, in the order of the inputs. What components give back is taken away from the row
 * one by one, so that the distance keeps its digits where it is small.
 */
#pragma once

#include "scoring/model.h"

/* Functions of struct kind (scoring/kind.h). */
enum status pca_scorer_open(const struct model *model, uint32_t rows_max, void **workspace,
                            struct error *err);
void pca_score(void *workspace, const float *dense, const int32_t *ids, uint32_t count,
               float *outputs);
void pca_scorer_close(void *workspace);
