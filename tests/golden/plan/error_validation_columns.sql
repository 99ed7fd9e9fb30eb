-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
-- validation: class INTEGER 50 integers; sepal_length REAL 50 reals
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16], validation.select = 'SELECT class, sepal_length FROM v' LABEL class INTO m;
