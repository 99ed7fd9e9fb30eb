-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 140 reals 10 nulls; class INTEGER 150 integers 150 counted 3 different
SELECT * FROM iris TO TRAIN StackedRNNClassifier LABEL class INTO m;
