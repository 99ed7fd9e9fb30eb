-- query: v numeric[] 150 vectors, 4 elements; y INTEGER 150 integers
-- model: old XGBClassifier classification; label y integer; inputs v[1] numeric, v[2] numeric
SELECT * FROM t TO TRAIN XGBClassifier LABEL y USING old INTO m;
