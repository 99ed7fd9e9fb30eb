-- query: a TEXT 9 texts; b TEXT 9 texts; x REAL 9 reals; c TEXT 9 texts; d TEXT 9 texts; e TEXT 9 texts; f TEXT 9 texts; y TEXT 9 texts
EXPLAIN SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m;
