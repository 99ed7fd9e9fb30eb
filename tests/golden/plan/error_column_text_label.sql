-- query: x REAL 150 reals; note TEXT 150 texts; v TEXT 150 texts; y INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN x, TEXT(y) LABEL y INTO m;
