-- query: id INTEGER 150 integers; a REAL 150 reals; b TEXT 150 texts; d TEXT 150 texts 150 dates; y INTEGER 150 integers
-- model: old XGBClassifier classification; label y integer; inputs d category age, a numeric
EXPLAIN SELECT * FROM t TO TRAIN XGBClassifier LABEL y USING old INTO m;
