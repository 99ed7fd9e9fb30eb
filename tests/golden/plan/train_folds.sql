-- query: a REAL 700 reals; b REAL 700 reals; q TEXT 700 texts; y TEXT 700 texts
SELECT * FROM t TO TRAIN XGBClassifier WITH n_splits = 7, train.group = 'q', early_stopping_rounds = 3 LABEL y INTO m;
