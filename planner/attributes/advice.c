#include "planner/attributes/advice.h"

#include <math.h>
#include <string.h>

#include "kinds/embedding/embedding_kind.h"
#include "kinds/forecast/forecast_kind.h"
#include "kinds/kmeans/kmeans_kind.h"
#include "kinds/network/network_kind.h"
#include "kinds/regression/regression_kind.h"
#include "kinds/trees/isolation_kind.h"
#include "kinds/trees/trees_kind.h"
#include "params/attribute.h"
#include "planner/attributes/attribute_check.h"
#include "planner/attributes/short_names.h"

#define XGB      SCOPE_TRAIN, "XGBoost"
#define LGBM     SCOPE_TRAIN, "LightGBM"
#define SKL      SCOPE_TRAIN, "scikit-learn"
#define BQML     SCOPE_TRAIN, "BigQuery ML"
#define KERAS    SCOPE_TRAIN, "Keras"
#define CATBOOST SCOPE_TRAIN, "CatBoost"
#define FLOW     SCOPE_TRAIN, "SQLFlow"

#define ANY         NULL, NULL
#define OF(value)   NULL, value
#define TREES       &trees_kind
#define NETWORKS    &network_kind /* and those over embeddings */
#define REGRESSIONS &regression_kind
#define FORECASTS   &forecast_kind
/* In both databases: which of them is asked is not known here. */
#define BY_TIME(sqlite, unit)                                                                      \
    sqlite " AS t, in PostgreSQL date_trunc('" unit "', t) AS t in the SELECT"
#define LEAVE NULL

#define ALL_PROCESSORS "models are learned on all processors of one machine or many, and on no GPU"
#define WORDS_ARE_CATEGORIES                                                                       \
    "texts are categories by themselves, and COLUMN VOCABULARY(code), * makes one of numbers"
#define ONE_SEED     "one seed decides all draws"
#define ALL_ROWS     "bins are made of all rows"
#define NO_MODEL     "it changes no model, and is chosen by itself"
#define SAME_MODEL   "the model is the same to the last bit with any workers"
#define TO_EXPLAIN   "SELECT ... TO EXPLAIN model shows what its inputs are worth, as does USING SHAP"
#define OLD_MODEL    "what is learned goes on from a model that there is"
#define MEAN_PENALTY "the penalty is added to the mean loss: of n rows 1 / (C n), here of 1,000"
#define EVALUATIONS                                                                                \
    "training ends after this number of evaluations without a smaller loss and keeps the best "    \
    "model"
#define IS_A_TABLE    "a model is a table of this database"
#define THE_ROWS      "a model is learned from the rows that the SELECT returns"
#define SEASONS       "the number of steps in a season"
#define OUTPUT        "it belongs to TO PREDICT"
#define BY_THRESHOLDS "each of its rows is a threshold with its precision, recall, F1 and cost"
#define BY_DECILES    "each of its rows is a tenth of the rows with its lift and gain"
#define BY_DEPENDENCE "its rows are values of an input with the mean prediction"
#define EACH_ROW      "each row has its prediction for each value, too"

/* clang-format off: one row, one parameter. */
const struct advice advice_rows[] = {
    /* ---- categories and missing values ---- */
    {"enable_categorical", XGB, ANY, LEAVE, WORDS_ARE_CATEGORIES},
    {"feature_types", XGB, ANY, LEAVE, WORDS_ARE_CATEGORIES},
    {"categorical_feature", LGBM, OF("auto"), LEAVE, WORDS_ARE_CATEGORIES},
    {"categorical_feature", LGBM, OF(ADVICE_COLUMN), "COLUMN {words}, *",
     "texts are categories by themselves, numbers so"},
    {"categorical_feature", LGBM, ANY, "COLUMN VOCABULARY(code), *",
     "columns are named, and texts are categories by themselves"},
    {"categorical_features", SKL, OF("from_dtype"), LEAVE, WORDS_ARE_CATEGORIES},
    {"categorical_features", SKL, OF(ADVICE_COLUMN), "COLUMN {words}, *",
     "texts are categories by themselves, numbers so"},
    {"categorical_features", SKL, ANY, "COLUMN VOCABULARY(code), *",
     "columns are named, and texts are categories by themselves"},
    {"cat_features", CATBOOST, OF(ADVICE_COLUMN), "COLUMN {words}, *",
     "texts are categories by themselves, numbers so"},
    {"cat_features", CATBOOST, ANY, "COLUMN VOCABULARY(code), *",
     "columns are named, and texts are categories by themselves"},
    {"category_encoding_method", BQML, ANY, LEAVE,
     "texts are categories by themselves, and no column is encoded before"},
    {"use_label_encoder", XGB, ANY, LEAVE,
     "labels may be texts, numbers, true and false as they are"},
    {"missing", XGB, OF("nan"), LEAVE, "NULL and NaN are missing"},
    {"missing", XGB, OF("none"), LEAVE, "NULL and NaN are missing"},
    {"missing", XGB, ANY, "NULLIF(column, {value}) AS column in the SELECT", "NULL is missing"},
    {"zero_as_missing", LGBM, OF("true"), "NULLIF(column, 0) AS column in the SELECT",
     "NULL is missing"},
    {"use_missing", LGBM, OF("false"), "COALESCE(column, 0) AS column in the SELECT",
     "NULL is missing"},
    {"use_missing", LGBM, OF("true"), LEAVE, "NULL is missing"},
    /* ---- columns for something else ---- */
    {"label_column", LGBM, OF(ADVICE_COLUMN), "LABEL {column}",
     "the label has a clause of its own"},
    {"input_label_cols", BQML, OF(ADVICE_COLUMN), "LABEL {column}",
     "the label has a clause of its own"},
    {"label", LGBM, OF(ADVICE_COLUMN), "LABEL {column}", "the label has a clause of its own"},
    {"target", SKL, OF(ADVICE_COLUMN), "LABEL {column}", "the label has a clause of its own"},
    {"ignore_column", LGBM, ANY, LEAVE,
     "inputs are the columns of the SELECT, or those that COLUMN names"},
    {"header", LGBM, ANY, LEAVE, "columns have the names of the SELECT"},
    {"feature_names", XGB, ANY, LEAVE, "columns have the names of the SELECT"},
    /* ---- where and how it is computed ---- */
    {"device", XGB, ANY, LEAVE, ALL_PROCESSORS},
    {"device_type", LGBM, ANY, LEAVE, ALL_PROCESSORS},
    {"gpu_id", XGB, ANY, LEAVE, ALL_PROCESSORS},
    {"gpu", XGB, ANY, LEAVE, ALL_PROCESSORS},
    {"use_gpu", XGB, ANY, LEAVE, ALL_PROCESSORS},
    {"gpu_platform_id", LGBM, ANY, LEAVE, ALL_PROCESSORS},
    {"gpu_device_id", LGBM, ANY, LEAVE, ALL_PROCESSORS},
    {"gpu_use_dp", LGBM, ANY, LEAVE, ALL_PROCESSORS},
    {"num_gpu", LGBM, ANY, LEAVE, ALL_PROCESSORS},
    {"task_type", CATBOOST, ANY, LEAVE, ALL_PROCESSORS},
    {"predictor", XGB, ANY, LEAVE, ALL_PROCESSORS},
    {"tree_method", XGB, OF("gpu_hist"), "tree_method = 'hist'", ALL_PROCESSORS},
    {"tree_method", XGB, OF("exact"), "tree_method = 'hist'",
     "splits are between bins, of which a number has up to 255"},
    {"single_precision_histogram", XGB, ANY, LEAVE, "sums are exact"},
    {"deterministic_histogram", XGB, ANY, LEAVE, "sums are exact"},
    {"max_cached_hist_node", XGB, ANY, LEAVE, NO_MODEL},
    {"updater", XGB, TREES, NULL, LEAVE, "trees are grown by histograms"},
    {"force_col_wise", LGBM, ANY, LEAVE, NO_MODEL},
    {"force_row_wise", LGBM, ANY, LEAVE, NO_MODEL},
    {"histogram_pool_size", LGBM, ANY, LEAVE, NO_MODEL},
    {"is_enable_sparse", LGBM, ANY, LEAVE, NO_MODEL},
    {"enable_sparse", LGBM, ANY, LEAVE, NO_MODEL},
    {"enable_bundle", LGBM, ANY, LEAVE, NO_MODEL},
    {"feature_pre_filter", LGBM, ANY, LEAVE, NO_MODEL},
    {"pre_partition", LGBM, ANY, LEAVE, NO_MODEL},
    {"two_round", LGBM, ANY, LEAVE, NO_MODEL},
    {"save_binary", LGBM, ANY, LEAVE, NO_MODEL},
    {"optimize_strategy", BQML, ANY, LEAVE, NO_MODEL},
    {"copy_X", SKL, ANY, LEAVE, "rows are only read"},
    {"copy_X_train", SKL, ANY, LEAVE, "rows are only read"},
    {"precompute", SKL, ANY, LEAVE, NO_MODEL},
    {"presort", SKL, ANY, LEAVE, NO_MODEL},
    {"cache_size", SKL, ANY, LEAVE, NO_MODEL},
    {"tree_learner", LGBM, ANY, "job.max_workers = 4", SAME_MODEL},
    {"pre_dispatch", SKL, ANY, LEAVE,
     "trials and folds run one after the other, each on all processors"},
    {"max_parallel_trials", BQML, ANY, LEAVE,
     "trials run one after the other, each on all processors"},
    {"deterministic", LGBM, ANY, LEAVE,
     "the same statement, rows and seed always make the same model"},
    {"snapshot_freq", LGBM, OF(ADVICE_COUNT), "train.save_checkpoints_steps = {value}",
     "a checkpoint is what a job goes on from"},
    {"validate_parameters", XGB, ANY, LEAVE, "a name that is not known is always an error"},
    {"xgboost_version", BQML, ANY, LEAVE, "there is one version of all trees"},
    {"kms_key_name", BQML, ANY, LEAVE, IS_A_TABLE},
    {"model_registry", BQML, ANY, LEAVE, IS_A_TABLE},
    {"vertex_ai_model_id", BQML, ANY, LEAVE, IS_A_TABLE},
    {"vertex_ai_model_version_aliases", BQML, ANY, LEAVE, IS_A_TABLE},
    {"model_type", BQML, OF("logistic_reg"), "TO TRAIN LinearClassifier",
     "the model follows TRAIN"},
    {"model_type", BQML, OF("linear_reg"), "TO TRAIN LinearRegressor", "the model follows TRAIN"},
    {"model_type", BQML, OF("arima_plus"), "TO TRAIN ARIMA_PLUS", "the model follows TRAIN"},
    {"model_type", BQML, OF("arima_plus_xreg"), "TO TRAIN ARIMA_PLUS_XREG",
     "the model follows TRAIN"},
    {"model_type", BQML, ANY, "TO TRAIN XGBClassifier", "the model follows TRAIN"},
    /* ---- series ---- */
    {"time_series_data_col", BQML, OF(ADVICE_COLUMN), "LABEL {column}",
     "the label has a clause of its own"},
    {"auto_arima", BQML, FORECASTS, "true", LEAVE,
     "orders are searched for where non_seasonal_order is not set"},
    {"auto_arima", BQML, FORECASTS, "false", "non_seasonal_order = [1, 1, 1]",
     "an order that is given is not searched for"},
    {"auto_arima_max_order", BQML, FORECASTS, NULL, LEAVE,
     "the search goes to five lags, and two of the season"},
    {"auto_arima_min_order", BQML, FORECASTS, NULL, LEAVE, "the search goes to no lags, too"},
    {"include_drift", BQML, FORECASTS, NULL, LEAVE,
     "the search tries models with a drift and without"},
    {"data_frequency", BQML, FORECASTS, "auto_frequency", LEAVE,
     "the step is found from the times of all series"},
    {"data_frequency", BQML, FORECASTS, "per_minute",
     BY_TIME("strftime('%Y-%m-%d %H:%M', t)", "minute"), "the step is that of the times"},
    {"data_frequency", BQML, FORECASTS, "hourly", BY_TIME("strftime('%Y-%m-%d %H:00', t)", "hour"),
     "the step is that of the times"},
    {"data_frequency", BQML, FORECASTS, "daily", "date(t) AS t in the SELECT",
     "the step is that of the times"},
    {"data_frequency", BQML, FORECASTS, "weekly",
     BY_TIME("date(t, '-6 days', 'weekday 1')", "week"), "the step is that of the times"},
    {"data_frequency", BQML, FORECASTS, "monthly", BY_TIME("strftime('%Y-%m-01', t)", "month"),
     "the step is that of the times"},
    {"data_frequency", BQML, FORECASTS, "quarterly",
     BY_TIME("strftime('%Y-', t) || printf('%02d-01', (strftime('%m', t) + 2) / 3 * 3 - 2)",
             "quarter"),
     "the step is that of the times"},
    {"data_frequency", BQML, FORECASTS, "yearly", BY_TIME("strftime('%Y-01-01', t)", "year"),
     "the step is that of the times"},
    {"holiday_region", BQML, FORECASTS, NULL, "forecast.holidays = 'holidays'",
     "holidays are days and names in a table of yours"},
    {"clean_spikes_and_dips", BQML, FORECASTS, "true", "forecast.history = 365",
     "nothing is cleaned, but TO PREDICT of the history shows anomalies, which a SELECT may leave "
     "out"},
    {"clean_spikes_and_dips", BQML, FORECASTS, "false", LEAVE, "values are taken as they are"},
    {"adjust_step_changes", BQML, FORECASTS, NULL, LEAVE,
     "forecasts follow the level, and TO EXPLAIN shows where it shifts"},
    {"decompose_time_series", BQML, FORECASTS, NULL, LEAVE,
     "TO EXPLAIN takes the rows apart that it is given"},
    {"trend_smoothing_window_size", BQML, FORECASTS, NULL, LEAVE,
     "TO EXPLAIN smooths the trend over a season and a half"},
    {"time_series_length_fraction", BQML, FORECASTS, NULL, "WHERE t >= '2024-01-01' in the SELECT",
     THE_ROWS},
    {"max_time_series_length", BQML, FORECASTS, NULL, "WHERE t >= '2024-01-01' in the SELECT",
     THE_ROWS},
    {"min_time_series_length", BQML, FORECASTS, NULL, "WHERE t >= '2024-01-01' in the SELECT",
     THE_ROWS},
    {"seasonalities", BQML, FORECASTS, "auto", LEAVE, "seasons are found by the step"},
    {"seasonalities", BQML, FORECASTS, "no_seasonality", "forecast.season = 1",
     "one step makes no season"},
    {"seasonalities", BQML, FORECASTS, "daily", "forecast.season = 24", SEASONS ", here hours"},
    {"seasonalities", BQML, FORECASTS, "weekly", "forecast.season = 7", SEASONS ", here days"},
    {"seasonalities", BQML, FORECASTS, "monthly", "forecast.season = 30", SEASONS ", here days"},
    {"seasonalities", BQML, FORECASTS, "quarterly", "forecast.season = 3", SEASONS ", here months"},
    {"seasonalities", BQML, FORECASTS, "yearly", "forecast.season = 12", SEASONS ", here months"},
    {"seasonalities", BQML, FORECASTS, NULL, "forecast.season = [7, 365]", SEASONS ", here days"},
    {"hierarchical_time_series_cols", BQML, FORECASTS, NULL, "forecast.hierarchy = 'mint'",
     "totals are over the columns of forecast.group"},
    {"l2_reg", BQML, FORECASTS, NULL, LEAVE, "coefficients of regressors have no penalty"},
    {"standardize_features", BQML, FORECASTS, NULL, LEAVE,
     "coefficients are those of the columns as they are"},
    /* ---- seeds ---- */
    {"data_random_seed", LGBM, OF(ADVICE_COUNT), "seed = {value}", ONE_SEED},
    {"feature_fraction_seed", LGBM, OF(ADVICE_COUNT), "seed = {value}", ONE_SEED},
    {"bagging_seed", LGBM, OF(ADVICE_COUNT), "seed = {value}", ONE_SEED},
    {"extra_seed", LGBM, OF(ADVICE_COUNT), "seed = {value}", ONE_SEED},
    {"drop_seed", LGBM, OF(ADVICE_COUNT), "seed = {value}", ONE_SEED},
    {"objective_seed", LGBM, OF(ADVICE_COUNT), "seed = {value}", ONE_SEED},
    {"seed_per_iteration", XGB, ANY, LEAVE, "each round draws anew, and " ONE_SEED},
    /* ---- what is shown and measured ---- */
    {"silent", XGB, ANY, "verbose = 0", "0 shows nothing, 2 every epoch"},
    {"quiet", XGB, ANY, "verbose = 0", "0 shows nothing, 2 every epoch"},
    {"verbose_eval", XGB, OF(ADVICE_COUNT), "train.log_every_n_iter = {value}",
     "steps between two lines of progress"},
    {"verbose_eval", XGB, ANY, "verbose = 0", "0 shows nothing, 2 every epoch"},
    {"metric_freq", LGBM, OF(ADVICE_COUNT), "train.log_every_n_iter = {value}",
     "steps between two lines of progress"},
    {"output_freq", LGBM, OF(ADVICE_COUNT), "train.log_every_n_iter = {value}",
     "steps between two lines of progress"},
    {"disable_default_eval_metric", XGB, ANY, LEAVE,
     "what eval_metric names is measured, and nothing else"},
    {"is_training_metric", LGBM, ANY, LEAVE, "SHOW TRAIN has the loss of the training rows"},
    {"is_provide_training_metric", LGBM, ANY, LEAVE,
     "SHOW TRAIN has the loss of the training rows"},
    {"first_metric_only", LGBM, ANY, LEAVE,
     "early stopping goes by the loss, whatever is measured"},
    {"importance_type", XGB, ANY, LEAVE, TO_EXPLAIN},
    {"importance_type", SCOPE_EXPLAIN, "XGBoost", ANY, LEAVE,
     "importance is by permutation, and USING SHAP by SHAP values"},
    {"saved_feature_importance_type", LGBM, ANY, LEAVE, TO_EXPLAIN},
    {"enable_global_explain", BQML, ANY, LEAVE, TO_EXPLAIN},
    {"calculate_p_values", BQML, NETWORKS, "true", "TO TRAIN LogisticRegression",
     "it and OrdinaryLeastSquares have standard errors and p-values"},
    {"calculate_p_values", BQML, REGRESSIONS, NULL, LEAVE,
     "SHOW MODEL has standard errors and p-values"},
    {"oob_score", SKL, OF("true"), "train.folds = 5",
     "each row is predicted by a model that has not seen it"},
    {"probability", SKL, ANY, LEAVE, "TO PREDICT WITH extra_outputs = 'probabilities' has them"},
    {"pred_leaf", SCOPE_TRAIN | SCOPE_PREDICT, "XGBoost", ANY, "extra_outputs = 'leaf'", OUTPUT},
    {"predict_leaf_index", SCOPE_TRAIN | SCOPE_PREDICT, "LightGBM", ANY, "extra_outputs = 'leaf'",
     OUTPUT},
    {"pred_contribs", SCOPE_TRAIN | SCOPE_PREDICT, "XGBoost", ANY, "extra_outputs = 'shap'",
     OUTPUT},
    {"pred_contrib", SCOPE_TRAIN | SCOPE_PREDICT, "LightGBM", ANY, "extra_outputs = 'shap'",
     OUTPUT},
    {"predict_contrib", SCOPE_TRAIN | SCOPE_PREDICT, "LightGBM", ANY, "extra_outputs = 'shap'",
     OUTPUT},
    {"output_margin", SCOPE_TRAIN | SCOPE_PREDICT, "XGBoost", ANY, "extra_outputs = 'logits'",
     OUTPUT},
    {"raw_score", SCOPE_TRAIN | SCOPE_PREDICT, "LightGBM", ANY, "extra_outputs = 'logits'", OUTPUT},
    {"predict_raw_score", SCOPE_TRAIN | SCOPE_PREDICT, "LightGBM", ANY, "extra_outputs = 'logits'",
     OUTPUT},
    {"report", SCOPE_EVALUATE, "scikit-learn", OF("threshold"), "report = 'thresholds'",
     BY_THRESHOLDS},
    {"report", SCOPE_EVALUATE, "scikit-learn", OF("f1"), "report = 'thresholds'", BY_THRESHOLDS},
    {"report", SCOPE_EVALUATE, "scikit-learn", OF("cost"), "report = 'thresholds'", BY_THRESHOLDS},
    {"report", SCOPE_EVALUATE, "scikit-learn", OF("costs"), "report = 'thresholds'", BY_THRESHOLDS},
    {"report", SCOPE_EVALUATE, "scikit-learn", OF("reliability"), "report = 'calibration'",
     "each of its rows is a bin of probabilities with the share of its rows"},
    {"report", SCOPE_EVALUATE, "scikit-learn", OF("roc_auc"), "report = 'roc'",
     "the area below the curve is AUC among the metrics"},
    {"report", SCOPE_EVALUATE, "scikit-learn", OF("ks"), "report = 'roc'",
     "it is the largest true_positive_rate - false_positive_rate"},
    {"report", SCOPE_EVALUATE, "scikit-learn", OF("deciles"), "report = 'gain'", BY_DECILES},
    {"report", SCOPE_EVALUATE, "scikit-learn", OF("decile"), "report = 'gain'", BY_DECILES},
    {"report", SCOPE_EVALUATE, "scikit-learn", OF("lift_curve"), "report = 'gain'", BY_DECILES},
    {"report", SCOPE_EVALUATE, "scikit-learn", OF("psi"), "report = 'drift'",
     "each of its rows is an input with its psi"},
    {"report", SCOPE_EXPLAIN, "scikit-learn", OF("ice"),
     "WITH explain.individual = true USING partial_dependence", EACH_ROW},
    {"report", SCOPE_EXPLAIN, "scikit-learn", ANY, "USING partial_dependence", BY_DEPENDENCE},
    {"plot_type", SCOPE_EXPLAIN, "scikit-learn", OF("partial_dependence"),
     "USING partial_dependence", BY_DEPENDENCE},
    {"plot_type", SCOPE_EXPLAIN, "scikit-learn", OF("pdp"), "USING partial_dependence",
     BY_DEPENDENCE},
    {"plot_type", SCOPE_EXPLAIN, "scikit-learn", OF("dependence"), "USING partial_dependence",
     BY_DEPENDENCE},
    {"plot_type", SCOPE_EXPLAIN, "scikit-learn", OF("ice"),
     "WITH explain.individual = true USING partial_dependence", EACH_ROW},
    {"kind", SCOPE_EXPLAIN, "scikit-learn", OF("individual"),
     "WITH explain.individual = true USING partial_dependence", EACH_ROW},
    {"kind", SCOPE_EXPLAIN, "scikit-learn", OF("both"),
     "WITH explain.individual = true USING partial_dependence", EACH_ROW},
    {"kind", SCOPE_EXPLAIN, "scikit-learn", ANY, "USING partial_dependence", BY_DEPENDENCE},
    {"best_threshold", SCOPE_TRAIN, "scikit-learn", ANY, "train.threshold = 'f1'",
     "or 'recall >= 0.95', or 'cost 1, 5'"},
    {"calibration", SCOPE_TRAIN, "scikit-learn", OF("platt"), "calibration = 'sigmoid'",
     "it is Platt's method"},
    {"calibration", SCOPE_TRAIN, "scikit-learn", ANY, "calibration = 'isotonic'",
     "'sigmoid' needs fewer rows"},
    /* ---- which rows are held out ---- */
    {"eval_set", XGB, ANY, "validation.select = 'SELECT * FROM held_out'", "or test_size = 0.2"},
    {"evals", XGB, ANY, "validation.select = 'SELECT * FROM held_out'", "or test_size = 0.2"},
    {"valid_sets", LGBM, ANY, "validation.select = 'SELECT * FROM held_out'", "or test_size = 0.2"},
    {"train_size", SKL, OF(ADVICE_SHARE), "test_size = {1-value}",
     "it is the share that is held out"},
    {"stratify", SKL, ANY, LEAVE, "held-out rows have the same share of each class by themselves"},
    {"data_split_method", BQML, OF("random"), "test_size = 0.2", "the share that is held out"},
    {"data_split_method", BQML, OF("auto_split"), LEAVE,
     "a tenth of 500 rows or more is held out by itself"},
    {"data_split_method", BQML, OF("no_split"), "test_size = 0", "no row is held out"},
    {"data_split_method", BQML, OF("seq"),
     "validation.select = 'SELECT * FROM t WHERE day >= ''2024-10-01'''",
     "the last rows, which the SELECT leaves out"},
    {"data_split_method", BQML, OF("custom"),
     "validation.select = 'SELECT * FROM t WHERE held_out'",
     "these rows, which the SELECT leaves out"},
    {"data_split_col", BQML, ANY, "validation.select = 'SELECT * FROM t WHERE held_out'",
     "these rows, which the SELECT leaves out"},
    {"data_split_test_fraction", BQML, ANY, LEAVE,
     "SELECT ... TO EVALUATE model takes the rows of any query"},
    /* ---- when training ends ---- */
    {"early_stop", BQML, OF("true"), "early_stopping = 10", EVALUATIONS},
    {"early_stop", BQML, OF("false"), "early_stopping = 0", "0 never ends it"},
    {"early_stopping", SKL, OF("true"), "early_stopping = 10", EVALUATIONS},
    {"early_stopping", SKL, OF("false"), "early_stopping = 0", "0 never ends it"},
    {"callbacks", KERAS, ANY, "early_stopping = 10", EVALUATIONS},
    {"restore_best_weights", KERAS, ANY, LEAVE, "with early_stopping = 10 the best model is kept"},
    {"min_rel_progress", BQML, ANY, "early_stopping = 10", EVALUATIONS},
    {"min_delta", KERAS, ANY, "early_stopping = 10", EVALUATIONS},
    {"early_stopping_min_delta", LGBM, ANY, "early_stopping = 10", EVALUATIONS},
    {"tol", SKL, REGRESSIONS, NULL, LEAVE, "steps end where the likelihood no longer changes"},
    {"tol", SKL, &kmeans_kind, NULL, LEAVE,
     "iterations end where no row changes its cluster, or at max_iter"},
    {"tol", SKL, NETWORKS, NULL, "early_stopping = 10", EVALUATIONS},
    {"tol", SKL, TREES, NULL, "early_stopping = 10", EVALUATIONS},
    {"tol", SKL, ANY, LEAVE, "max_iter is the only limit"},
    {"max_fun", SKL, ANY, LEAVE, "epochs = 20 is how long a network learns"},
    /* ---- from a model that there is ---- */
    {"warm_start", SKL, OF("true"), "USING old_model", OLD_MODEL},
    {"xgb_model", XGB, ANY, "USING old_model", OLD_MODEL},
    {"init_model", LGBM, ANY, "USING old_model", OLD_MODEL},
    {"input_model", LGBM, ANY, "USING old_model", OLD_MODEL},
    {"process_type", XGB, OF("default"), LEAVE,
     "trees are added, with USING old_model to those of a model"},
    /* ---- classes that are rare ---- */
    {"is_unbalance", LGBM, OF("true"), "class_weight = 'balanced'", "both classes weigh alike"},
    {"unbalance", LGBM, OF("true"), "class_weight = 'balanced'", "both classes weigh alike"},
    {"unbalanced_sets", LGBM, OF("true"), "class_weight = 'balanced'", "both classes weigh alike"},
    {"scale_pos_weight", XGB, OF("auto"), "class_weight = 'balanced'", "both classes weigh alike"},
    {"class_weight", SKL, OF("balanced_subsample"), "class_weight = 'balanced'",
     "the weights are those of all rows"},
    {"class_weight", SKL, REGRESSIONS, NULL,
     "TO TRAIN LinearClassifier WITH class_weight = 'balanced'",
     "standard errors count each row as often as it is there"},
    {"auto_class_weights", BQML, REGRESSIONS, NULL,
     "TO TRAIN LinearClassifier WITH class_weight = 'balanced'",
     "standard errors count each row as often as it is there"},
    /* ---- trees ---- */
    {"bagging_freq", LGBM, OF("0"), "subsample = 1", "each tree is grown from all rows"},
    {"bagging_freq", LGBM, ANY, LEAVE, "each tree draws its own rows, as with 1"},
    {"subsample_freq", LGBM, OF("0"), "subsample = 1", "each tree is grown from all rows"},
    {"subsample_freq", LGBM, ANY, LEAVE, "each tree draws its own rows, as with 1"},
    {"bootstrap", SKL, &isolation_kind, NULL, LEAVE,
     "each tree is grown from rows that are drawn without repetition"},
    {"bootstrap", SKL, OF("true"), LEAVE,
     "a tree of a forest is grown from 0.632 of the rows, which is as many as repetition leaves"},
    {"bootstrap", SKL, OF("false"), "subsample = 1", "each tree is grown from all rows"},
    {"sampling_method", XGB, OF("uniform"), LEAVE,
     "rows are drawn alike; data_sample_strategy = 'goss' draws by gradients"},
    {"sampling_method", XGB, OF("gradient_based"), LEAVE,
     "of boosted trees data_sample_strategy = 'goss' draws rows by their gradients"},
    {"subsample_for_bin", LGBM, ANY, LEAVE, ALL_ROWS},
    {"bin_construct_sample_cnt", LGBM, ANY, LEAVE, ALL_ROWS},
    {"sketch_eps", XGB, ANY, LEAVE, ALL_ROWS},
    {"max_bin_by_feature", LGBM, ANY, "max_bin = 255", "it applies to all columns"},
    {"max_features", SKL, TREES, ADVICE_SHARE, "max_features = 'all', colsample_bynode = {value}",
     "the share of the columns that a node looks at"},
    {"max_features", SKL, TREES, ADVICE_COUNT, "max_features = 'all', colsample_bynode = 0.5",
     "a share: this number of columns, divided by all"},
    {"max_features", SKL, TREES, "log2", "max_features = 'sqrt'",
     "or colsample_bynode = 0.3, the share of the columns that a node looks at"},
    {"max_features", SKL, TREES, "auto", "max_features = 'sqrt'", "or 'all'"},
    {"max_features", SKL, TREES, "none", "max_features = 'all'", "a node looks at all columns"},
    {"criterion", SKL, OF("gini"), LEAVE, "splits are those of Gini's index"},
    {"criterion", SKL, OF("entropy"), LEAVE, "splits are those of Gini's index"},
    {"criterion", SKL, OF("log_loss"), LEAVE, "splits are those of Gini's index"},
    {"criterion", SKL, OF("squared_error"), LEAVE, "it is that of the objective"},
    {"criterion", SKL, OF("friedman_mse"), LEAVE, "it is the gain of the objective"},
    {"criterion", SKL, OF("absolute_error"), LEAVE,
     "for numbers use objective = 'reg:absoluteerror': leaves are medians"},
    {"criterion", SKL, OF("poisson"), LEAVE, "for numbers use objective = 'count:poisson'"},
    {"splitter", SKL, OF("best"), LEAVE, "the best split is taken"},
    {"min_samples_split", SKL, OF(ADVICE_COUNT), "min_samples_leaf = {value/2}",
     "a node of fewer than twice this number of rows is not split"},
    {"min_samples_split", SKL, OF(ADVICE_SHARE), "min_samples_leaf = {1000*value/2}",
     "it is a number of rows, here of 1,000"},
    {"min_samples_leaf", SKL, OF(ADVICE_SHARE), "min_samples_leaf = {1000*value}",
     "it is a number of rows, here of 1,000"},
    {"min_weight_fraction_leaf", SKL, OF(ADVICE_NUMBER), "min_samples_leaf = {1000*value}",
     "it is a number of rows, here of 1,000"},
    {"min_impurity_decrease", SKL, OF(ADVICE_NUMBER), "gamma = 1",
     "least gain of a split, summed over rows where scikit-learn takes their mean"},
    {"ccp_alpha", SKL, OF(ADVICE_NUMBER), "max_leaf_nodes = 31",
     "trees are not cut back: bounds are set before, as min_samples_leaf and gamma"},
    {"path_smooth", LGBM, OF(ADVICE_NUMBER), "lambda = {value}",
     "it draws values of leaves to 0, not to those above"},
    {"boost_from_average", LGBM, OF("true"), LEAVE, "boosting starts at the mean"},
    {"boost_from_average", LGBM, OF("false"), "base_score = 0.5",
     "where boosting starts; of numbers base_score = 0"},
    {"init", SKL, TREES, "zero", LEAVE,
     "base_score = 0 of numbers, or 0.5 of classes, is where boosting starts"},
    {"uniform_drop", LGBM, OF("true"), LEAVE,
     "dart drops all rounds alike, as with sample_type = 'uniform'"},
    {"xgboost_dart_mode", LGBM, OF("true"), LEAVE,
     "normalize_type = 'tree' of booster = 'dart' is XGBoost's"},
    {"multi_strategy", XGB, OF("one_output_per_tree"), LEAVE, "each class has trees of its own"},
    {"monotone_constraints_method", LGBM, ANY, LEAVE,
     "monotone_constraints are kept by bounds of leaves"},
    {"reg_sqrt", LGBM, OF("true"), "sqrt(y) AS y in the SELECT", "predictions are roots then"},
    {"learning_rate", SKL, OF("constant"), "optimizer.schedule = 'constant'",
     "learning_rate is a number"},
    {"learning_rate", SKL, OF("invscaling"), "optimizer.schedule = 'polynomial'",
     "learning_rate is a number"},
    {"learning_rate", SKL, OF("adaptive"), "early_stopping = 10",
     "the rate falls by optimizer.schedule, and learning_rate is a number"},
    {"learning_rate", SKL, OF("optimal"), LEAVE,
     "the rate falls by optimizer.schedule, and learning_rate is a number"},
    {"learn_rate_strategy", BQML, OF("constant"), "optimizer.schedule = 'constant'",
     "how the rate changes"},
    {"learn_rate_strategy", BQML, ANY, LEAVE,
     "learning_rate = 0.01 is what a step begins with, and optimizer.schedule how it changes"},
    {"ls_init_learn_rate", BQML, OF(ADVICE_NUMBER), "learning_rate = {value}",
     "no line is searched"},
    /* ---- linear models and networks ---- */
    {"C", SKL, REGRESSIONS, ADVICE_NUMBER, "model.l2 = {1/value}",
     "half the squares of the coefficients weigh 1 / C, and there are no standard errors then"},
    {"C", SKL, NETWORKS, ADVICE_NUMBER, "model.l2 = {1/1000/value}", MEAN_PENALTY},
    {"C", SKL, REGRESSIONS, NULL, "model.l2 = 1", "it is 1 / C, which is above 0"},
    {"C", SKL, NETWORKS, NULL, "model.l2 = 0.001",
     "it is 1 / (C n) of n rows, here of 1,000, and C is above 0"},
    {"penalty", SKL, REGRESSIONS, "l2", "model.l2 = 1",
     "it is 1 / C, and there are no standard errors then"},
    {"penalty", SKL, REGRESSIONS, "none", LEAVE, "there is none"},
    {"penalty", SKL, REGRESSIONS, NULL, "TO TRAIN LinearClassifier WITH model.l1 = 0.001",
     "a model with standard errors has no such penalty"},
    {"penalty", SKL, NETWORKS, "l2", "model.l2 = 0.001",
     "its weight; without it a linear model has C = 1"},
    {"penalty", SKL, NETWORKS, "l1", "model.l1 = 0.001",
     "its weight; model.l2 = 0 leaves it alone"},
    {"penalty", SKL, NETWORKS, "none", "model.l2 = 0", "the penalty has a weight"},
    {"penalty", SKL, NETWORKS, NULL, "model.l1 = 0.001, model.l2 = 0.001",
     "each has a weight of its own"},
    {"l1_ratio", SKL, REGRESSIONS, NULL, "TO TRAIN LinearClassifier WITH model.l1 = 0.001",
     "a model with standard errors has no such penalty"},
    {"l1_ratio", SKL, NETWORKS, NULL, "model.l1 = 0.001, model.l2 = 0.001",
     "each has a weight of its own"},
    {"alpha", SKL, NETWORKS, ADVICE_NUMBER, "model.l2 = {value}",
     "as SGDRegressor has it; by the number of rows as Ridge and MLPClassifier do, and model.l1 as "
     "Lasso"},
    {"alpha", SKL, REGRESSIONS, ADVICE_NUMBER, "model.l2 = {value}",
     "as Ridge has it, and there are no standard errors then"},
    {"kernel_regularizer", KERAS, ANY, "model.l2 = 0.001",
     "its weight; model.l1 penalizes absolute weights"},
    {"solver", SKL, NETWORKS, "sgd", "optimizer = 'SGD'", "the rule of its steps"},
    {"solver", SKL, NETWORKS, "adam", "optimizer = 'Adam'", "the rule of its steps"},
    {"solver", SKL, NETWORKS, NULL, LEAVE,
     "weights move by the steps of an optimizer, Adam by itself"},
    {"solver", SKL, REGRESSIONS, NULL, LEAVE, "coefficients are found by Newton's steps, exactly"},
    {"svd_solver", SKL, ANY, LEAVE, "components are found exactly"},
    {"fit_intercept", SKL, OF("true"), LEAVE, "there is an intercept"},
    {"fit_intercept", SKL, ANY, LEAVE, "there always is an intercept"},
    {"intercept_scaling", SKL, ANY, LEAVE, "the intercept has no penalty"},
    {"multi_class", SKL, ANY, LEAVE, "several classes are one softmax"},
    {"dual", SKL, ANY, LEAVE, NO_MODEL},
    {"average", SKL, NETWORKS, "true", LEAVE,
     "the last weights are taken, with early_stopping = 10 the best"},
    {"power_t", SKL, OF(ADVICE_NUMBER),
     "optimizer.schedule = 'polynomial', optimizer.power = {value}", "how the rate falls"},
    {"batch_size", SKL, OF("auto"), LEAVE, "128 is the default"},
    {"n_layers", KERAS, ANY, "hidden_units = [64, 64]", "units of each hidden layer"},
    {"num_layers", KERAS, ANY, "hidden_units = [64, 64]", "units of each hidden layer"},
    {"units", KERAS, OF(ADVICE_COUNT), "hidden_units = [{value}]", "units of each hidden layer"},
    {"hidden_size", KERAS, OF(ADVICE_COUNT), "hidden_units = [{value}]",
     "units of each hidden layer"},
    {"hidden_dim", KERAS, OF(ADVICE_COUNT), "hidden_units = [{value}]",
     "units of each hidden layer"},
    /* ---- models without a label ---- */
    {"init", SKL, &kmeans_kind, NULL, LEAVE, "k-means++ chooses the first centers, n_init times"},
    {"kmeans_init_method", BQML, ANY, LEAVE, "k-means++ chooses the first centers, n_init times"},
    {"algorithm", SKL, &kmeans_kind, NULL, LEAVE, "it is Lloyd's"},
    {"n_init", SKL, OF("auto"), LEAVE, "10 is the default"},
    {"distance_type", BQML, OF("euclidean"), LEAVE, "it is Euclid's"},
    {"distance_type", BQML, ANY, LEAVE,
     "it is Euclid's: of rows divided by their length in the SELECT it goes as the cosine"},
    {"contamination", SKL, OF(ADVICE_SHARE), "nu = {value}",
     "share of the training rows that may lie outside"},
    /* ---- SQLFlow's clusters ---- */
    {"runtime.worker_resource_request", FLOW, ANY, "job.where = 'kubernetes', job.worker_cpu = 1",
     "what each worker asks for on a cluster, as does job.worker_memory"},
    {"engine.worker_resource_request", FLOW, ANY, "job.where = 'kubernetes', job.worker_cpu = 1",
     "what each worker asks for on a cluster, as does job.worker_memory"},
    {"engine.worker_memory", FLOW, ANY, "job.where = 'kubernetes', job.worker_memory = '1Gi'",
     "what each worker asks for on a cluster"},
    {"engine.type", FLOW, ANY, "job.where = 'kubernetes'", "where the job runs"},
    {"runtime.master_resource_request", FLOW, ANY, LEAVE, "the master asks for what its job needs"},
    {"engine.master_resource_request", FLOW, ANY, LEAVE, "the master asks for what its job needs"},
    {"job.records_per_task", FLOW, ANY, LEAVE,
     "shards are as large as the rows and workers want them"},
    {NULL, 0, NULL, ANY, NULL, NULL},
};
/* clang-format on */

/* ---- which one is meant ---- */

static bool is_text(const struct value *value)
{
    return value->kind == VALUE_STRING || value->kind == VALUE_WORD;
}

static bool is_off(const struct value *value)
{
    return value->kind == VALUE_BOOLEAN ? !value->boolean
                                        : value->kind == VALUE_NUMBER && value->number == 0;
}

/* None, as Python writes that there is none. */
static bool is_none(const struct value *value)
{
    return is_text(value) &&
           (slice_is_fold(value->text, "none") || slice_is_fold(value->text, "null"));
}

static bool names_columns(const struct value *value)
{
    if (value->kind != VALUE_LIST)
        return is_text(value) && value->text.size > 0;
    for (size_t i = 0; i < value->count; i++)
        if (!is_text(&value->items[i]) || value->items[i].text.size == 0)
            return false;
    return value->count > 0;
}

static bool fits_value(const char *wanted, const struct value *value)
{
    const bool is_number = value->kind == VALUE_NUMBER && isfinite(value->number);

    if (!wanted)
        return true;
    if (strcmp(wanted, ADVICE_NUMBER) == 0)
        return is_number && value->number > 0;
    if (strcmp(wanted, ADVICE_SHARE) == 0)
        return is_number && value->number > 0 && value->number <= 1 && !value->is_integer;
    if (strcmp(wanted, ADVICE_COUNT) == 0)
        return is_number && value->is_integer && value->number >= 1;
    if (strcmp(wanted, ADVICE_COLUMN) == 0)
        return names_columns(value) && !slice_is_fold(value->text, "auto");
    if (value->kind == VALUE_LIST && value->count == 1) /* ['weekly'] */
        return fits_value(wanted, &value->items[0]);
    if (value->kind == VALUE_BOOLEAN)
        return strcmp(wanted, value->boolean ? "true" : "false") == 0;
    return value->kind != VALUE_LIST && value->kind != VALUE_RANGE &&
           slice_is_fold(value->text, wanted);
}

static bool fits_model(const struct advice *advice, const struct estimator *estimator)
{
    const struct kind *kind = estimator ? estimator->kind : NULL;

    return !advice->kind || advice->kind == (kind == &embedding_kind ? &network_kind : kind);
}

/* Does what is proposed mean anything to the model? Of settings the first is looked at. Models
 * without a label take no categories. */
static bool fits_proposal(const struct advice *advice, unsigned scope,
                          const struct estimator *estimator)
{
    const char *end = advice->instead ? strstr(advice->instead, " = ") : NULL;
    const struct attribute *attribute;

    if (advice->instead && estimator && !task_has_label(estimator->task) &&
        (strncmp(advice->instead, "COLUMN", 6) == 0 || strncmp(advice->instead, "LABEL", 5) == 0))
        return false;
    if (!end || !estimator || !(scope & advice->scope & SCOPE_TRAIN) ||
        memchr(advice->instead, ' ', (size_t)(end - advice->instead)))
        return true;
    attribute = attribute_find_written(
        (struct slice){advice->instead, (size_t)(end - advice->instead)}, scope, estimator);
    return attribute && (estimator_uses(estimator, attribute) || !(attribute->scope & scope));
}

/* NULL: there is none. *is_known: of the name there is, with another value or model. */
static const struct advice *find(const struct setting *setting, unsigned scope,
                                 const struct estimator *estimator, bool *is_known)
{
    const struct slice name = setting->name.text, last = attribute_last_part(name);

    *is_known = false;
    for (const struct advice *row = advice_rows; row->name; row++) {
        if (!(row->scope & scope) ||
            !(slice_is_fold(name, row->name) || slice_is_fold(last, row->name)))
            continue;
        *is_known = true;
        if (fits_value(row->value, &setting->value) && fits_model(row, estimator) &&
            fits_proposal(row, scope, estimator))
            return row;
    }
    return NULL;
}

/* ---- what it says ---- */

/* Column `number` of those that the value names; size 0: there are no more. */
static struct slice column_at(const struct value *value, size_t number)
{
    static const char prefix[] = "name:";
    struct slice rest = value->text;

    if (value->kind == VALUE_LIST)
        return number < value->count ? value->items[number].text : (struct slice){"", 0};
    if (rest.size > strlen(prefix) && memcmp(rest.data, prefix, strlen(prefix)) == 0)
        rest = (struct slice){rest.data + strlen(prefix), rest.size - strlen(prefix)};
    for (;; number--) {
        const char *comma = memchr(rest.data, ',', rest.size);
        const size_t size = comma ? (size_t)(comma - rest.data) : rest.size;

        if (number == 0)
            return slice_trim((struct slice){rest.data, size});
        if (!comma)
            return (struct slice){"", 0};
        rest = (struct slice){comma + 1, rest.size - size - 1};
    }
}

static void append_words(const struct value *value, struct text *out)
{
    for (size_t i = 0; column_at(value, i).size > 0; i++) {
        text_append_string(out, i > 0 ? ", VOCABULARY(" : "VOCABULARY(");
        text_append_string(out, SQL_NAME(column_at(value, i)));
        text_append_char(out, ')');
    }
}

/* Appends the text that takes the place of {key}. */
static void append_meant(struct slice key, const struct value *value, struct text *out)
{
    const double number = value->number;

    if (slice_is(key, "value"))
        value_append(value, out);
    else if (slice_is(key, "column"))
        text_append_string(out, SQL_NAME(column_at(value, 0)));
    else if (slice_is(key, "words"))
        append_words(value, out);
    else if (slice_is(key, "1/value"))
        text_append_rounded(out, 1 / number);
    else if (slice_is(key, "1/1000/value"))
        text_append_rounded(out, 0.001 / number);
    else if (slice_is(key, "1-value"))
        text_append_rounded(out, 1 - number);
    else if (slice_is(key, "value/2"))
        text_append_rounded(out, ceil(number / 2));
    else if (slice_is(key, "1000*value"))
        text_append_rounded(out, ceil(1000 * number));
    else if (slice_is(key, "1000*value/2"))
        text_append_rounded(out, ceil(500 * number));
}

static void append_filled(const char *text, const struct value *value, struct text *out)
{
    const char *open, *close;

    while ((open = strchr(text, '{')) && (close = strchr(open, '}'))) {
        text_append(out, (struct slice){text, (size_t)(open - text)});
        append_meant((struct slice){open + 1, (size_t)(close - open - 1)}, value, out);
        text = close + 1;
    }
    text_append_string(out, text);
}

void advice_append(const struct advice *advice, const struct value *value, struct text *out)
{
    if (advice->instead) {
        text_append_string(out, "Write ");
        append_filled(advice->instead, value, out);
    } else {
        text_append_string(out, "Leave it out");
    }
    text_append_string(out, ": ");
    text_append_string(out, advice->why);
    text_append_char(out, '.');
}

enum status advice_hint(const struct setting *setting, unsigned scope,
                        const struct estimator *estimator, struct error *err)
{
    bool is_known;
    const struct advice *advice = find(setting, scope, estimator, &is_known);
    struct text hint;

    if (!advice && is_known && is_off(&setting->value) &&
        !attribute_find_written(setting->name.text, scope, estimator))
        return error_hint(err, "Leave it out: it is off by default.");
    if (!advice && is_none(&setting->value) && err && !err->hint[0])
        return error_hint(err, "Leave it out: what is not written has its default.");
    if (!advice)
        return err ? err->status : STATUS_INVALID;
    text_init(&hint, TEXT_MAXIMUM);
    advice_append(advice, &setting->value, &hint);
    error_hint(err, "%s", text_string(&hint));
    if (hint.failed)
        fail_no_memory(err);
    text_deinit(&hint);
    return err ? err->status : STATUS_INVALID;
}
