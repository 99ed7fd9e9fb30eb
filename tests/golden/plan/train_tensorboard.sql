-- query: x REAL 20 reals; y INTEGER 20 integers
SELECT * FROM t TO TRAIN LinearClassifier WITH log.tensorboard = 'runs/first' LABEL y INTO m;
