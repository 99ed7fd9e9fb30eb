-- query: age INTEGER 1000 integers; years REAL 1000 reals; claims INTEGER 1000 integers 1000 counted 5 different
-- model: old XGBRegressor regression; label claims integer; inputs age numeric, years numeric
SELECT age, years, claims FROM p TO TRAIN XGBRegressor LABEL claims USING old INTO m;
