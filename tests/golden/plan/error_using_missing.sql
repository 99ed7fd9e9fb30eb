-- query: id INTEGER 150 integers; b TEXT 150 texts; d TEXT 150 texts 150 dates; y INTEGER 150 integers
-- model: old XGBClassifier classification; label y integer; inputs b category, a numeric
SELECT * FROM t TO TRAIN XGBClassifier LABEL y USING old INTO m;
