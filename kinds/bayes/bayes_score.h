/*
 * bayes_score.h - rows through a stored model of naive Bayes.
 *
 * Sums in double, in the order of the inputs. No function of the C library is in it.
 */
#pragma once

#include "scoring/model.h"

/* Functions of struct kind (scoring/kind.h). */
enum status bayes_scorer_open(const struct model *model, uint32_t rows_max, void **workspace,
                              struct error *err);
void bayes_score(void *workspace, const float *dense, const int32_t *ids, uint32_t count,
                 float *outputs);
void bayes_scorer_close(void *workspace);
