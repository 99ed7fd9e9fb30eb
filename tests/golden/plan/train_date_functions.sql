-- query: a TEXT 150 texts 150 dates 150 times; b TEXT 150 texts 150 dates; c TEXT 150 nulls; y INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN DATE(a, 'hour', age, "DAY"), VOCABULARY(b), DATE(c) LABEL y INTO m;
