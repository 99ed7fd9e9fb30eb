-- query: f1 INTEGER 150 integers; f2 INTEGER 150 integers; f10 INTEGER 150 integers; y REAL 150 reals
SELECT * FROM t TO TRAIN LinearRegressor COLUMN INDICATOR(CATEGORY_ID("f1|f2|y", 1000)), f10 LABEL y INTO m;
