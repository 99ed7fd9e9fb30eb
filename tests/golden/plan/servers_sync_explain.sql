-- query: n1 REAL 150 reals; n2 REAL 148 reals 2 nulls; site TEXT 150 texts; ad TEXT 150 texts; clicked INTEGER 150 integers
EXPLAIN SELECT * FROM t TO TRAIN DeepFMClassifier WITH job.ps = 2, job.sync = true LABEL clicked INTO m;
