-- query: x REAL 20 reals; y INTEGER 20 integers
SELECT * FROM t TO TRAIN LinearClassifier WITH job.metrics = '[::1]:9090' LABEL y INTO m;
