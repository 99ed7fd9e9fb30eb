-- query: sepal_length REAL 9 reals; sepal_width REAL 9 reals; petal_length REAL 9 reals; petal_width REAL 9 reals
-- model: iris_model DNNClassifier classification; label class integer; inputs sepal_length numeric, sepal_width numeric, petal_length numeric, petal_width numeric
SELECT * FROM iris TO EVALUATE iris_model;
