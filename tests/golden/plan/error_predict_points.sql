-- query: age REAL 150 reals
-- model: m LinearClassifier classification; label bad integer classes 0 1; inputs age numeric
SELECT * FROM t TO PREDICT WITH extra_outputs = 'points' USING m;
