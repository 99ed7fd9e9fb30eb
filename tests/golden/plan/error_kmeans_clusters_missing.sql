-- query: sepal_length REAL 150 reals
SELECT * FROM iris TO TRAIN KMeans INTO clusters;
