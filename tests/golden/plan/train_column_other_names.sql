-- query: age INTEGER 1000 integers; price TEXT 1000 texts 990 separated 10 missing; site TEXT 1000 texts; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN BUCKETIZE(age, 4), BUCKETIZED(price, [1, 2]), INDICATOR(HASH(site, 10)), VOCABULARIZE(site) LABEL y INTO m;
