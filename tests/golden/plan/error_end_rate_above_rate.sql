-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN LinearClassifier WITH schedule = 'polynomial', learning_rate = 0.01, end_learning_rate = 0.1 LABEL class INTO m;
