-- query: x REAL 150 reals; w REAL 150 reals; c TEXT 150 texts; y INTEGER 150 integers 150 counted 2 different
SELECT * FROM t TO TRAIN LGBMClassifier WITH categorical_feature = 'name:1st' LABEL y INTO m;
