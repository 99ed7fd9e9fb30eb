-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
SELECT sepal_length, sepal_width FROM iris TO TRAIN KMeans USING old_model INTO m;
