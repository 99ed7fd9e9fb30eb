-- query: a REAL 150 reals; b REAL 150 reals; c REAL 140 reals 10 nulls
SELECT * FROM t TO TRAIN PCA WITH n_components = 2, model.standardize = false INTO p;
