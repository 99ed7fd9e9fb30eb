/*
 * dataset_summary.h - what is kept of all rows, whoever holds which of them.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"

/* Copies the training rows of least random(seed, hash) into dataset->sample, in that order: at most
 * SPOOL_SAMPLE_ROWS. All training rows must be there, fewer than 2^32. NO_MEMORY. */
enum status dataset_take_sample(struct dataset *dataset, struct team *team, struct error *err);

/* The sum of a part's hashes, modulo 2^128: two parts that have the same sum have the same rows, in
 * any order. Where the order of the training rows counts each hash is mixed with its position. */
void dataset_sum_hashes(const struct dataset *dataset, struct dataset_part *part);
