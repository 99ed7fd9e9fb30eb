-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [2048, 2048], job.memory = '64Mi' LABEL class INTO m;
