-- query: a REAL 150 reals; y REAL 150 reals
SELECT * FROM t TO TRAIN LinearRegressor WITH validation.steps = -1 LABEL y INTO m;
