-- query: x REAL 150 reals; w REAL 150 reals; c TEXT 150 texts; y INTEGER 150 integers 150 counted 2 different
SELECT * FROM t TO TRAIN RandomForestClassifier WITH max_features = 0.5 LABEL y INTO m;
