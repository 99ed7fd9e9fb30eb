-- query: carat REAL 1000 reals; cut TEXT 1000 texts; price INTEGER 1000 integers
-- model: price_model LinearRegressor regression; label price real; inputs carat numeric, cut category
SELECT * FROM diamonds TO PREDICT priced.estimate WITH predict.extra_outputs = [score] USING price_model;
