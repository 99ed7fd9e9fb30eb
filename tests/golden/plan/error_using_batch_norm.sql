-- query: id INTEGER 150 integers; a REAL 150 reals; b TEXT 150 texts; y INTEGER 150 integers
-- model: old DeepFMClassifier classification; label y integer; inputs b category, a numeric
SELECT * FROM t TO TRAIN DeepFMClassifier WITH model.batch_norm = true LABEL y USING old INTO m;
