-- query: a REAL 700 reals; b TEXT 700 texts; y TEXT 700 texts
SELECT * FROM t TO TRAIN xgboost.gbtree WITH tune.trials = 2, objective = ['binary:logistic', 'reg:squarederror'] LABEL a INTO m;
