-- query: a REAL 150 reals; b REAL 150 reals; c REAL 140 reals 10 nulls
-- model: p PCA projection; label "" none; inputs a numeric, b numeric, c numeric
SELECT * FROM t TO PREDICT WITH extra_outputs = 'logits' USING p;
