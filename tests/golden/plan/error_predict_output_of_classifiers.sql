-- query: carat REAL 1000 reals; cut TEXT 1000 texts; price INTEGER 1000 integers
-- model: price_model LinearRegressor regression; label price real; inputs carat numeric, cut category
SELECT * FROM diamonds TO PREDICT WITH predict.extra_outputs = 'probability' USING price_model;
