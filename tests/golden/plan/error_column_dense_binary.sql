-- query: v BLOB 150 blobs; y INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN DENSE(v, 4) LABEL y INTO m;
