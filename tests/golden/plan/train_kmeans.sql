-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 140 reals 10 nulls
SELECT * FROM iris TO TRAIN KMeans WITH model.n_clusters = 3, job.max_workers = 4 INTO clusters;
