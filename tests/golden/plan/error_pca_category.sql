-- query: a REAL 150 reals; colour TEXT 150 texts
SELECT * FROM t TO TRAIN PCA INTO p;
