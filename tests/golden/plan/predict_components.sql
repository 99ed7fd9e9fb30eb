-- query: a REAL 150 reals; b REAL 150 reals; c REAL 140 reals 10 nulls
-- model: p PCA projection; label "" none; inputs a numeric, b numeric, c numeric
SELECT * FROM t TO PREDICT placed.pca WITH extra_outputs = 'score' USING p;
