-- query: a REAL 9 reals; y INTEGER 9 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN 'y' LABEL y INTO m;
