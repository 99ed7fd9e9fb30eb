-- query: a REAL 150 reals; b TEXT 150 texts; y INTEGER 150 integers
-- model: old XGBRegressor regression; label y integer; inputs b category, a numeric
SELECT * FROM t TO TRAIN xgboost.gbtree LABEL y USING old INTO m;
