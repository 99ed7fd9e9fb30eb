-- query: a DOUBLE PRECISION 20 nulls; b VARCHAR(10) 20 nulls; c 20 nulls; y BOOLEAN 20 integers
SELECT * FROM sparse TO TRAIN LinearClassifier LABEL y INTO m;
