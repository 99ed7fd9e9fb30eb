-- query: sepal_length REAL 9 reals; petal_length REAL 9 reals
-- model: iris_model DNNClassifier classification; label class integer; inputs sepal_length numeric, sepal_width numeric, petal_length numeric, petal_width numeric
SELECT sepal_length, petal_length FROM iris TO PREDICT t.class USING iris_model;
