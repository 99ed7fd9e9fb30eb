-- query: signup TEXT 150 texts, 135 dates, 10 missing; y INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m;
