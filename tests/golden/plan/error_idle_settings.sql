-- query: a REAL 150 reals; b REAL 150 reals; y REAL 150 reals
SELECT * FROM t TO TRAIN LinearRegressor WITH model.label_dimension = 2 LABEL y INTO m;
