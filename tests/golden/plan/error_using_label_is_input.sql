-- query: id INTEGER 150 integers; a REAL 150 reals; b TEXT 150 texts; d TEXT 150 texts 150 dates; y INTEGER 150 integers
-- model: old XGBClassifier regression; label y real; inputs b category, a numeric
SELECT * FROM t TO TRAIN XGBRegressor LABEL a USING old INTO m;
