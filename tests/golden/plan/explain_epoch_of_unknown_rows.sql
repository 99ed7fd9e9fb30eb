-- query: x REAL 1000 reals; y INTEGER 1000 integers
EXPLAIN SELECT * FROM t TO TRAIN DNNClassifier WITH train.epoch = 1 LABEL y INTO m;
