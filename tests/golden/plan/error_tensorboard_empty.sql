-- query: x REAL 20 reals; y INTEGER 20 integers
SELECT * FROM t TO TRAIN LinearClassifier WITH log.tensorboard = '' LABEL y INTO m;
