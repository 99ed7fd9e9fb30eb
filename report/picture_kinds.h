/*
 * picture_kinds.h - one function for each kind of picture (picture.h). The drawing has a row at
 * least.
 */
#pragma once

#include "report/picture_parts.h"

enum status draw_history(const struct drawing *drawing, struct error *err);
enum status draw_confusion(const struct drawing *drawing, struct error *err);
enum status draw_roc(const struct drawing *drawing, struct error *err);
enum status draw_pr(const struct drawing *drawing, struct error *err);
enum status draw_gain(const struct drawing *drawing, struct error *err);
enum status draw_calibration(const struct drawing *drawing, struct error *err);
enum status draw_residuals(const struct drawing *drawing, struct error *err);
enum status draw_importance(const struct drawing *drawing, struct error *err);
enum status draw_shap(const struct drawing *drawing, struct error *err);
enum status draw_dependence(const struct drawing *drawing, struct error *err);
enum status draw_forecast(const struct drawing *drawing, struct error *err);
