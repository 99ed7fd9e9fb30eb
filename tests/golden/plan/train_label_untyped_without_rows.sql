-- query: a REAL 0 nulls; grade 0 nulls
SELECT * FROM t TO TRAIN LinearClassifier LABEL grade INTO m;
