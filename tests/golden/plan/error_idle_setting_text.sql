-- query: a REAL 150 reals; b REAL 150 reals; y REAL 150 reals
SELECT * FROM t TO TRAIN LinearRegressor WITH validation.steps = 'many' LABEL y INTO m;
