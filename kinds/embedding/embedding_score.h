/*
 * embedding_score.h - rows through a stored network over embeddings.
 *
 * One fixed order of additions per output, whatever rows are scored together and however wide the
 * processor's vectors are: the top's columns in ascending order from the bias on
 * (scoring/numbers/layer_sums.h), then the wide parts of the row's ids in theirs, then the pairs.
 */
#pragma once

#include "scoring/model.h"

/* Functions of struct kind (scoring/kind.h). */
size_t embedding_row_bytes(const struct model *model);
enum status embedding_scorer_open(const struct model *model, uint32_t rows_max, void **workspace,
                                  struct error *err);
void embedding_score(void *workspace, const float *dense, const int32_t *ids, uint32_t count,
                     float *outputs);
void embedding_scorer_close(void *workspace);
