-- query: a REAL 9 reals; y BLOB 9 blobs
SELECT a, y FROM t TO TRAIN LinearClassifier LABEL y INTO m;
