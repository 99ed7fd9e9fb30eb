/*
 * xgboost_base.h - XGBoost's base_score, a prediction, and what it is in the units of leaves.
 */
#pragma once

#include "kinds/trees/trees_model.h"

/* The number that XGBoost starts a sum with for this base_score, computed with floats as it
 * does. */
double xgboost_margin(float base_score, enum trees_link link);
/* The base_score whose margin is nearest. */
float xgboost_base_score(double margin, enum trees_link link);
