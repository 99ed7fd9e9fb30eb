-- query: a REAL 150 reals; b TEXT 150 texts; c TEXT 150 texts; d INTEGER 150 integers; e TEXT 150 texts; f TEXT 150 texts; y INTEGER 150 integers
EXPLAIN SELECT * FROM t TO TRAIN LinearClassifier COLUMN CROSS([BUCKET(a, 4), b], 30) LABEL y INTO m;
