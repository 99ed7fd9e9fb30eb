-- query: a REAL 150 reals; b TEXT 150 texts; c TEXT 150 texts; d INTEGER 150 integers; e TEXT 150 texts; f TEXT 150 texts; y INTEGER 150 integers
-- model: old DeepFMClassifier classification; label y integer; inputs y hash, c hash
SELECT * FROM t TO TRAIN DeepFMClassifier LABEL y USING old INTO m;
