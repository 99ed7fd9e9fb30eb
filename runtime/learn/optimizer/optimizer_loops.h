/*
 * optimizer_loops.h - the steps of the optimizers whose rules are in optimizer_rules.h, over many
 * weights; optimizer.h has the call for all of them.
 */
#ifndef RUNTIME_LEARN_OPTIMIZER_OPTIMIZER_LOOPS_H
#define RUNTIME_LEARN_OPTIMIZER_OPTIMIZER_LOOPS_H

#include "runtime/learn/optimizer/optimizer_rules.h"

/* Runs any optimizer but SGD, Momentum, Nesterov, Adagrad and Adam, which optimizer.c has. */
struct tally optimizer_loop(const struct optimizer_update *update);

#endif
