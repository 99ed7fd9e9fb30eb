-- query: a REAL 700 reals; b TEXT 700 texts; y TEXT 700 texts
EXPLAIN SELECT * FROM t TO TRAIN XGBClassifier WITH tune.trials = 4, tune.method = 'halving', tune.metric = 'AUC', max_depth = RANGE(2, 8), eta = RANGE(0.01, 0.3), test_size = 0.3 LABEL y INTO m;
