-- query: a REAL 150 reals; y REAL 150 reals
-- model: m LinearClassifier classification margins; label y integer; inputs a numeric
SELECT * FROM t TO EXPLAIN m WITH explain.metric = 'LogLoss';
