-- query: carat REAL 9 reals; cut TEXT 9 texts; paid REAL 9 reals
-- model: price_model LinearRegressor regression; label price real; inputs carat numeric, cut category
SELECT carat, cut, paid FROM sales TO EVALUATE price_model LABEL paid;
