/*
 * share_metrics.h - the jobs of a shared cluster as Prometheus reads them: text, one sample a line.
 *
 * Pure: a function of the board. A job that has ended has no sample.
 */
#pragma once

#include "k8s/share/share_board.h"

/* (count) namespaces: the names of the board's spaces. */
void share_metrics_write(const struct share_board *board, const struct slice *namespaces,
                         size_t count, struct text *out);
