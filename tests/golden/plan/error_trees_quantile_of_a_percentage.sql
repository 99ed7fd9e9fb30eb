-- query: price REAL 500 reals; y REAL 500 reals
SELECT * FROM t TO TRAIN XGBRegressor WITH objective = 'reg:quantileerror', quantile_alpha = [0.1, 50] LABEL y INTO m;
