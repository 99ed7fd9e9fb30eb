-- query: v TEXT 1000 texts; s TEXT 990 texts 10 nulls; age INTEGER 1000 integers; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN SPARSE(s, 2001) LABEL y INTO m;
