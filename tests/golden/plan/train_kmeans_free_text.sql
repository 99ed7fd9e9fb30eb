-- query: x REAL 500 reals; note TEXT 500 texts, 500 counted, 400 different, 40000 bytes, 480 spaced
SELECT * FROM t TO TRAIN KMeans WITH model.n_clusters = 3 INTO m;
