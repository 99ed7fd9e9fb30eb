/*
 * model_call.h - the call that scores a row with a model, for people to copy.
 *
 *     SQLite       totrain_predict('m', "x", "y")
 *                  totrain_predict('m', totrain_row("x1", ...), totrain_row("x101", ...))
 *     PostgreSQL   totrain.predict('m', ROW("x", "y"))
 *
 * Inputs stand in the model's order, as columns of a query that has them by these names; in
 * PostgreSQL elements 1, 2, ... of an array as the array.
 */
#pragma once

#include "base/text.h"
#include "scoring/transform/transform.h"

/* A function of SQLite takes 127 arguments: totrain_row() packs so many into one. */
#define INPUTS_IN_A_ROW 100

typedef void input_appender(const void *self, size_t input, struct text *sql);

/* ", a, b": so many inputs as further arguments of a function of SQLite, each as `append` has it.
 */
void model_call_append_inputs(size_t count, input_appender *append, const void *self,
                              struct text *sql);

/* path: the first argument (model_path.h). */
void model_call_append(struct slice path, const struct transform *transform, struct text *sql);
void model_call_append_postgres(struct slice path, const struct transform *transform,
                                struct text *sql);
