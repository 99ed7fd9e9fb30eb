-- query: a REAL 150 reals; b REAL 150 reals; kind TEXT 150 texts
-- model: m LinearClassifier classification margins; label kind text classes no yes; inputs a numeric, b numeric
SELECT * FROM t TO PREDICT p.kind WITH predict.extra_outputs = 'probability' USING m;
