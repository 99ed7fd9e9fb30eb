-- query: age INTEGER 1000 integers; years REAL 1000 reals; claims INTEGER 1000 integers 1000 counted 5 different; word TEXT 1000 texts; b BLOB 1000 blobs
-- model: old XGBRegressor regression; label claims integer; inputs age numeric
SELECT age, years, claims FROM p TO TRAIN XGBRegressor WITH offset = 'years' LABEL claims USING old INTO m;
