-- query: a REAL 9 reals; photo BLOB 7 blobs, 2 nulls; y INTEGER 9 integers
SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m;
