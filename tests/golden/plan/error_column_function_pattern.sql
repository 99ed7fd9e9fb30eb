-- query: f1 INTEGER 150 integers; f2 INTEGER 150 integers; y REAL 150 reals
SELECT * FROM t TO TRAIN LinearRegressor COLUMN INDICATOR(CATEGORY_ID("a.*", 1000)) LABEL y INTO m;
