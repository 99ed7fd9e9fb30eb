/*
 * descent_old.h - USING of TO TRAIN: descent starts from the weights of a model that exists.
 *
 * The data set has its transform and labels (runtime/data/dataset/dataset.h), so that its arrays
 * have the shapes of the new model's; the optimizer's slots start as ever.
 */
#pragma once

#include "runtime/learn/descent/descent_parts.h"

/* CORRUPT where the old model's arrays, or what is made of them, are not those of the job; fine
 * where the job goes on from none. */
enum status descent_check_old(const struct descent *descent, struct error *err);
/* The old model's weights, where there is one, become the parameters. */
void descent_take_old(struct descent *descent);
