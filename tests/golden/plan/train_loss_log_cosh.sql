-- query: x REAL 150 reals; z REAL 150 reals; y REAL 150 reals; class INTEGER 150 integers
SELECT x, z, y FROM t TO TRAIN DNNRegressor WITH model.hidden_units = [4], model.loss = 'LogCosh' LABEL y INTO m;
