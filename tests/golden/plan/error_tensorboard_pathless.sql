-- query: x REAL 20 reals; y INTEGER 20 integers
-- pathless:
SELECT * FROM t TO TRAIN LinearClassifier WITH log.tensorboard = '/srv/runs' LABEL y INTO m;
