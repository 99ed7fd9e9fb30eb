-- query: x REAL 200 reals; y INTEGER 200 integers
EXPLAIN SELECT * FROM t TO TRAIN XGBClassifier WITH tune.trials = 9, tune.method = 'halving', num_boost_round = 90, eta = RANGE(0.1, 0.5), train.folds = 3 LABEL y INTO m;
