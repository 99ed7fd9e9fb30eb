-- query: x REAL 19 reals, 1 texts; y INTEGER 18 integers, 1 reals, 1 nulls
SELECT * FROM t TO TRAIN LinearClassifier WITH train.bad_rows = 'quarantine' LABEL y INTO m;
