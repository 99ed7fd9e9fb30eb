-- query: sepal_length REAL 150 reals; class INTEGER 150 integers
-- model: clusters KMeans clustering; label "" none; inputs sepal_length numeric
SELECT * FROM iris TO EVALUATE clusters LABEL class;
