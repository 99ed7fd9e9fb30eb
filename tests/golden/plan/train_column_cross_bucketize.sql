-- query: age INTEGER 1000 integers; price TEXT 1000 texts 990 separated 10 missing; site TEXT 1000 texts; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN CROSS([site, BUCKETIZE(age, 4)], 10) LABEL y INTO m;
