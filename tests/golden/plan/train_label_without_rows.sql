-- query: a REAL 0 nulls; yes boolean 0 nulls
SELECT * FROM t TO TRAIN LinearClassifier LABEL yes INTO m;
