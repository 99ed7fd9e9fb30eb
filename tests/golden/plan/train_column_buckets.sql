-- query: age INTEGER 1000 integers; price TEXT 1000 texts 990 separated 10 missing; site TEXT 1000 texts; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN BUCKET(age, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) LABEL y INTO m;
