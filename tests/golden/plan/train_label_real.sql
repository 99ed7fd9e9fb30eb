-- query: a REAL 10 reals; grade REAL 10 reals
SELECT * FROM t TO TRAIN LinearClassifier LABEL grade INTO m;
