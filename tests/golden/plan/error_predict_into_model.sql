-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
-- model: iris_model DNNClassifier classification; label class integer; inputs sepal_length numeric, sepal_width numeric, petal_length numeric, petal_width numeric
SELECT * FROM iris TO PREDICT USING iris_model INTO iris_model;
