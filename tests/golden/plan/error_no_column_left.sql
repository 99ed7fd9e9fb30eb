-- query: y INTEGER 9 integers
SELECT y FROM t TO TRAIN LinearClassifier LABEL y INTO m;
