-- query: a REAL 150 reals; y REAL 150 reals
-- model: old DNNRegressor regression; label y real; inputs a numeric
SELECT * FROM t TO TRAIN DNNRegressor WITH loss = 'poisson' LABEL y USING old INTO m;
