-- file: /data/shop.db
-- query: n1 REAL 150 reals; n2 REAL 148 reals 2 nulls; site TEXT 150 texts; ad TEXT 150 texts; clicked INTEGER 150 integers
EXPLAIN SELECT * FROM t TO TRAIN DCNClassifier WITH job.strategy = 'PS', job.ps = 4, job.checkpoint_seconds = 5, log.tensorboard = 'logs', job.wait = false LABEL clicked INTO m;
