-- query: x REAL 9 reals; title TEXT 9 texts; body TEXT 9 texts; y REAL 9 reals
SELECT * FROM t TO TRAIN XGBRegressor COLUMN *, TEXT(title), TEXT(body) LABEL y INTO m;
