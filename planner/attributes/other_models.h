/*
 * other_models.h - models by the names that other tools have for them.
 *
 *     TRAIN LinearRegression    It is called LinearRegressor here.
 *     TRAIN SVC                 There is no kernel machine for classes. Nearest is DNNClassifier.
 *
 * docs/other-tools.md is printed from the same rows.
 */
#pragma once

#include "base/error.h"

struct other_model {
    const char *name;
    const char *here; /* an estimator, with settings where they make it so; or two of them */
    const char *why;  /* why it is not the same: sentences. NULL: it is */
};

/* The last has no name. */
extern const struct other_model other_models[];

/* True: *err, of an unknown model, has a hint now. Case is ignored. */
bool other_model_hint(struct slice name, struct error *err);
