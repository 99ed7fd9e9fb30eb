-- query: age INTEGER 1000 integers; site TEXT 1000 texts; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN INDICATOR(CONCAT(site, BUCKETIZE(age, 4))) LABEL y INTO m;
