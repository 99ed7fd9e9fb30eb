-- query: zip TEXT 1000 texts 1000 counted 1000 different; y INTEGER 1000 integers 1000 counted 2 different
EXPLAIN SELECT * FROM t TO TRAIN XGBClassifier LABEL y INTO m;
