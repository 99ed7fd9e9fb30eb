-- query: n1 REAL 150 reals; n2 REAL 148 reals 2 nulls; site TEXT 150 texts; ad TEXT 150 texts; clicked INTEGER 150 integers
SELECT * FROM t TO TRAIN WideAndDeepClassifier WITH job.strategy = 'auto', job.ps = 1, job.staleness = 1, model.min_count = 5, model.expire_steps = 4294967295, job.sync = false, job.reproducible = false LABEL clicked INTO m;
