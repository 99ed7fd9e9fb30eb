-- query: x REAL 200 reals; y INTEGER 200 integers
EXPLAIN SELECT * FROM t TO TRAIN XGBClassifier WITH tune.trials = 1, eta = RANGE(0.1, 0.5) LABEL y INTO m;
