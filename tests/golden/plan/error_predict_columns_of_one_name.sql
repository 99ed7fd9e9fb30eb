-- query: sepal_length REAL 10 reals; x REAL 10 reals; x REAL 10 reals
-- model: price_model LinearRegressor regression; label price real; inputs sepal_length numeric
SELECT * FROM t TO PREDICT p USING price_model;
