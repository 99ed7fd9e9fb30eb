-- query: a REAL 150 reals; y REAL 150 reals
SELECT * FROM t TO TRAIN LinearRegressor COLUMN 'a{1,99999}' LABEL y INTO m;
