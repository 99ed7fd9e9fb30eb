-- query: x REAL 200 reals; y INTEGER 200 integers
EXPLAIN SELECT * FROM t TO TRAIN XGBClassifier WITH tune.trials = 3, eta = RANGE(0.1, 0.5), train.folds = 3 LABEL y INTO m;
