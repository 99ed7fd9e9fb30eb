-- query: carat REAL 1000 reals; cut TEXT 1000 texts; price INTEGER 1000 integers
SELECT * FROM diamonds TO TRAIN LinearRegressor COLUMN carat, NUMERIC(cut) LABEL price INTO m;
