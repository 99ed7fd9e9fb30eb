-- query: price REAL 500 reals; words INTEGER 500 integers; y REAL 500 reals
SELECT * FROM t TO TRAIN XGBRegressor WITH objective = 'reg:quantileerror', quantile_alpha = [0.1, 0.5, 0.9], n_estimators = 20 LABEL y INTO m;
