-- query: a REAL 150 reals; b REAL 150 reals; c REAL 140 reals 10 nulls
EXPLAIN SELECT * FROM t TO TRAIN PCA INTO p;
