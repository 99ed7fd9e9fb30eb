-- query: x REAL 20 reals; y INTEGER 20 integers
-- file: /data/shop.db
EXPLAIN SELECT * FROM t TO TRAIN LinearClassifier WITH job.wait = false LABEL y INTO m;
