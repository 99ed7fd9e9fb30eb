-- query: sepal_length REAL 150 reals
SELECT * FROM iris TO TRAIN KMeans WITH model.n_clusters = 3, train.batch_size = 64 INTO clusters;
