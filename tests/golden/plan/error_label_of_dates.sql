-- query: x REAL 150 reals; day TEXT 150 texts 150 dates
SELECT x, day FROM t TO TRAIN XGBRegressor LABEL day INTO m;
