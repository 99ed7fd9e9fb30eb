-- query: signup TEXT 150 texts 150 dates; x REAL 150 reals
SELECT * FROM t TO TRAIN KMeans WITH model.n_clusters = 3 COLUMN DATE(signup, 'weekday'), x INTO m;
