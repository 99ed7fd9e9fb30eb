-- query: signup TEXT 150 texts 150 dates 150 times; x REAL 150 reals
SELECT * FROM t TO TRAIN KMeans WITH model.n_clusters = 3 INTO m;
