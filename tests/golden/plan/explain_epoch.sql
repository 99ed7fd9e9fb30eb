-- query: x REAL 200 reals; y INTEGER 200 integers
EXPLAIN SELECT * FROM t TO TRAIN DNNClassifier WITH train.epoch = 1, train.max_steps = 1, train.folds = 4 LABEL y INTO m;
