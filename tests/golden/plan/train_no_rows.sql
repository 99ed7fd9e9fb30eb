-- query: a REAL; b TEXT; y INTEGER
SELECT * FROM empty TO TRAIN LinearClassifier LABEL y INTO m;
