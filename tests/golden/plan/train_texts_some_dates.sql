-- query: note TEXT 150 texts 140 dates; y INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m;
