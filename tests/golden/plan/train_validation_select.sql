-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
-- validation: class INTEGER 50 integers; petal_width REAL 50 reals; sepal_length REAL 50 reals; sepal_width REAL 50 reals; petal_length REAL 50 reals
SELECT * FROM iris WHERE id % 4 TO TRAIN DNNClassifier WITH model.hidden_units = [8], validation.select = 'SELECT * FROM iris WHERE NOT id % 4', train.early_stopping = 2 LABEL class INTO iris_model;
