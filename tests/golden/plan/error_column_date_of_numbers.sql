-- query: signup INTEGER 150 integers; y INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN DATE(signup) LABEL y INTO m;
