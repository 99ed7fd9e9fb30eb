/*
 * optimizer_loops.h - the steps of the optimizers whose rules are in optimizer_rules.h, over many
 * weights; optimizer.h has the call for all of them.
 */
#pragma once

#include "runtime/learn/optimizer/optimizer_rules.h"

/* Runs any optimizer but SGD, Momentum, Nesterov, Adagrad and Adam, which optimizer.c has. */
struct tally optimizer_loop(const struct optimizer_update *update);
