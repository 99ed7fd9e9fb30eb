-- model: iris_model DNNClassifier classification; label class integer; inputs sepal_length numeric, sepal_width numeric, petal_length numeric, petal_width numeric
FORECAST iris_model WITH level = 95;
