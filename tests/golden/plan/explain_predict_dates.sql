-- model: m LinearClassifier classification; label y integer; inputs signup text age, x numeric
-- query: signup TEXT 150 texts 150 dates; x REAL 150 reals
EXPLAIN SELECT * FROM t TO PREDICT p.y USING m;
