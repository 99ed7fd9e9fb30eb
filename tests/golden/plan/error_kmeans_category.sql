-- query: sepal_length REAL 150 reals; colour TEXT 150 texts
SELECT * FROM iris TO TRAIN KMeans WITH model.n_clusters = 3 INTO clusters;
