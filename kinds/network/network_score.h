/*
 * network_score.h - rows through a stored network.
 *
 * One fixed order of additions per output (inputs in ascending order, then ids, starting from the
 * bias), whatever rows are scored together and however wide the processor's vectors are. Loops of
 * our own (scoring/numbers/layer_sums.h, activation.h), no BLAS and no libm.
 */
#pragma once

#include "scoring/model.h"

/* Functions of struct kind (scoring/kind.h). */
size_t network_row_bytes(const struct model *model);
enum status network_scorer_open(const struct model *model, uint32_t rows_max, void **workspace,
                                struct error *err);
void network_score(void *workspace, const float *dense, const int32_t *ids, uint32_t count,
                   float *outputs);
void network_scorer_close(void *workspace);
