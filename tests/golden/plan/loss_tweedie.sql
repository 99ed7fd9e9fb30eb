-- query: x REAL 150 reals; z REAL 150 reals; y REAL 150 reals; class INTEGER 150 integers
SELECT x, z, y FROM t TO TRAIN DNNRegressor WITH model.loss = 'reg:tweedie', tweedie_power = 1.2 LABEL y INTO m;
