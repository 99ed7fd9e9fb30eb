-- Is the model still what it was? Drift since training, an interval for AUC, and what it makes of a column.
--
--     sqlite3 cancer.db ".import --csv examples/data/breast_cancer.csv breast_cancer"
--     build/release/totrain cancer.db -f examples/sql/watching.sql

SELECT * FROM breast_cancer WHERE rowid % 2 = 0
TO TRAIN XGBClassifier
WITH model.positive = 0, n_estimators = 20
LABEL benign
INTO watched;

-- Rows of today, of which nobody knows the label yet: which columns have moved away?
SELECT * FROM breast_cancer WHERE rowid % 2 = 1
TO EVALUATE watched WITH evaluate.report = 'drift' INTO watched_drift;
SELECT input, psi, verdict, mean_then, mean_now FROM watched_drift LIMIT 5;

-- When labels are known: how sure is AUC?
SELECT * FROM breast_cancer WHERE rowid % 2 = 1
TO EVALUATE watched WITH validation.metrics = 'AUC', evaluate.interval = 0.95;

-- What does the model make of the column that has moved most?
SELECT * FROM breast_cancer TO EXPLAIN watched WITH explain.columns = 'mean_radius', explain.grid = 8
USING partial_dependence;
