/*
 * graph_score.h - rows scored by a graph: the same forward computation as in learning.
 */
#pragma once

#include "scoring/model.h"

/* Functions of struct kind (scoring/kind.h). */
enum status graph_scorer_open(const struct model *model, uint32_t rows_max, void **opened,
                              struct error *err);
void graph_score(void *opened, const float *dense, const int32_t *ids, uint32_t count,
                 float *outputs);
void graph_scorer_close(void *closed);
