-- query: a REAL 150 reals; y REAL 150 reals
SELECT * FROM t TO TRAIN LinearRegressor WITH validation.steps = true LABEL y INTO m;
