-- query: x REAL 19 reals; y INTEGER 18 integers, 1 nulls; totrain_reason TEXT 20 texts
SELECT * FROM t TO TRAIN LinearClassifier WITH train.bad_rows = 'quarantine' LABEL y INTO m;
