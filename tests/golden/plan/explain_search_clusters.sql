-- query: a REAL 700 reals; b REAL 700 reals
EXPLAIN SELECT * FROM t TO TRAIN KMeans WITH tune.trials = 20, n_clusters = RANGE(2, 4) INTO m;
