-- query: sepal_length REAL 150 reals
-- model: clusters KMeans clustering; label "" none; inputs sepal_length numeric
SELECT * FROM iris TO EVALUATE clusters;
