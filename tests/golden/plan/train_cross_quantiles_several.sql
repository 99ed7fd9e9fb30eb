-- query: a REAL 150 reals; b TEXT 150 texts; c TEXT 150 texts; d INTEGER 150 integers; e TEXT 150 texts; f TEXT 150 texts; y INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN CROSS([BUCKET(a, 4), b], 30), CROSS([c, BUCKET(a, 4)], 20), CROSS([BUCKET(a, 3), BUCKET(d, 5)], 9) LABEL y INTO m;
