-- How good is the model, and where is it wrong? Numbers, the confusion matrix, curves, and a threshold.
--
--     sqlite3 cancer.db ".import --csv examples/data/breast_cancer.csv breast_cancer"
--     build/release/totrain cancer.db -f examples/sql/judging.sql

-- Malignant tumours are looked for, so they are the positive class.
SELECT * FROM breast_cancer WHERE rowid % 4 > 0
TO TRAIN LinearClassifier
WITH model.positive = 0, train.epoch = 50
LABEL benign
INTO judged;

-- On rows that the model has not seen.
CREATE TEMP VIEW unseen AS SELECT * FROM breast_cancer WHERE rowid % 4 = 0;

SELECT * FROM unseen TO EVALUATE judged;
SELECT * FROM unseen TO EVALUATE judged WITH validation.metrics = 'PRAUC,MCC,BalancedAccuracy';

SELECT * FROM unseen TO EVALUATE judged WITH evaluate.report = 'confusion';
SELECT * FROM unseen TO EVALUATE judged WITH evaluate.report = 'classes';

-- Which threshold finds at least 99 of 100?
SELECT * FROM unseen TO EVALUATE judged WITH evaluate.report = 'roc' INTO judged_roc;
SELECT * FROM judged_roc WHERE true_positive_rate >= 0.99 ORDER BY threshold DESC LIMIT 1;

-- With a lower threshold more are found, and more are suspected in vain.
SELECT * FROM unseen TO EVALUATE judged WITH evaluate.threshold = 0.2, evaluate.report = 'confusion';
SELECT * FROM unseen TO PREDICT suspected.malignant WITH predict.threshold = 0.2 USING judged;
SELECT benign, malignant AS predicted, count(*) AS rows FROM suspected GROUP BY 1, 2;

-- Are probabilities what they say?
SELECT * FROM unseen TO EVALUATE judged WITH evaluate.report = 'calibration';

-- Which measurements does the model look at? By how much AUC falls when each is dealt out anew.
SELECT * FROM unseen TO EXPLAIN judged WITH explain.repeats = 3 INTO judged_inputs;
SELECT input, importance, deviation FROM judged_inputs ORDER BY importance DESC LIMIT 5;
