-- query: carat REAL 1000 reals; cut TEXT 1000 texts; price INTEGER 1000 integers
SELECT * FROM diamonds TO TRAIN LinearRegressor WITH train.class_weight = 'balanced' LABEL price INTO m;
