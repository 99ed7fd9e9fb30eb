/*
 * lower_predict.h - PREDICT -> SQL with scoring functions.
 */
#pragma once

#include "planner/plan/plan.h"

/*
 * The SQL of a PREDICT plan, scoring in the host:
 *     SELECT q."a", q."b", totrain_predict('model', q."a", q."b") AS "class" FROM (SELECT ...) AS q
 * (a volatile query as WITH q AS MATERIALIZED (SELECT ...) SELECT ... FROM q).
 * All selected columns except the label, then the prediction (named by the
 * target column, else by the model's label, else PREDICT_CLUSTER or PREDICT_COMPONENT), then one
 * column for each of predict.extra_outputs. totrain_predict takes the model's inputs in the model's
 * order. The first argument is a path as codegen/model_path.h writes it.
 *
 *     extra output     function                  value
 *     probability      totrain_probability       real: of the positive (greater) class of two,
 *                                                of the predicted class of more
 *     probabilities    totrain_probabilities     JSON object: class -> probability
 *     logits           totrain_logits            JSON array: one logit of two classes, else one
 *                                                a class
 *     leaf             totrain_leaf              JSON array, of trees: of each the node that the
 *                                                row ends in
 *     score            totrain_logits, for a regressor totrain_predict, for a model of
 *                      clusters or components totrain_distance: real, to the nearest
 *
 * A projection predicts a column for each component instead: totrain_component('model', q."a",
 * q."b", 1) AS "pca_1", ...
 *
 * With predict.threshold the prediction is
 *     CASE WHEN totrain_probability('model', ...) >= 0.3 THEN 'fraud' ELSE 'legit' END
 *
 * For PostgreSQL (plan->dialect) the functions are in schema totrain and take the whole
 * row, whose columns they find by name; predict also takes a NULL of the type that it
 * returns: int8, float8 or text:
 *     SELECT q."a", q."b", totrain.predict(E'model', q.*, NULL::pg_catalog.text) AS "class" ...
 * Several labels are read from all predictions of the row, which are computed once:
 *     SELECT q."a", pg_catalog.json_extract_path_text(predicted.all_labels, E'y')::... AS "p_y"
 *     FROM (SELECT ...) AS q CROSS JOIN LATERAL
 *     (SELECT totrain.predict(E'model', q.*)::pg_catalog.json AS all_labels OFFSET 0) AS predicted
 */
enum status lower_predict(const struct plan *plan, struct text *sql, struct error *err);

/*
 * With a quarantine table the rows of the SELECT are kept once, in PREDICT_STAGE,
 * and what lower_predict gives reads the good ones from there:
 *     WITH q AS MATERIALIZED (SELECT ...)
 *     SELECT totrain_problem('model', q."a", ...) AS "totrain_reason", q."a" AS "a", ... FROM q
 * totrain_problem is NULL where totrain_predict would give a prediction, else its error.
 */
#define PREDICT_STAGE "totrain_kept_rows" /* a temporary table */
enum status lower_predict_stage(const struct plan *plan, struct text *sql, struct error *err);

/*
 * Where the host keeps the rows of a job (host.h, keep_rows), in PREDICT_KEPT:
 * the SELECT that reads them in their order; the tables below are then made by SELECTs, too,
 * which join PREDICT_SCORES (row, reason, o1, o2, ...): the outputs as texts.
 */
#define PREDICT_KEPT   "totrain_kept"
#define PREDICT_SCORES "totrain_scores"
#define PREDICT_ROW    "totrain row" /* row number, in both */
enum status lower_kept(const struct plan *plan, struct text *sql, struct error *err);

/* The quarantine table: all columns of the SELECT, then the reason. */
enum status lower_quarantine_table(const struct plan *plan, struct text *sql, struct error *err);
enum status lower_quarantine(const struct plan *plan, struct text *sql, struct error *err);

/* The CREATE TABLE for PREDICT's target, with the declared types of the
 * SELECT's columns and of the label. */
enum status lower_predict_table(const struct plan *plan, struct text *sql, struct error *err);
