-- query: x REAL 150 reals; note TEXT 150 texts; v TEXT 150 texts; y INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN TEXT(note, 4096, 1025) LABEL y INTO m;
