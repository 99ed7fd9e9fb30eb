-- query: a REAL 150 reals; b REAL 150 reals
-- model: m OneClassSVM detection; label "" none; inputs a numeric, b numeric
SELECT * FROM t TO EXPLAIN m;
