-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
-- validation: class INTEGER 50 integers; petal_width REAL 50 reals; sepal_length REAL 50 reals; sepal_width REAL 50 reals; petal_length REAL 50 reals
SELECT * FROM iris TO TRAIN LinearClassifier WITH validation.select = 'SELECT * FROM iris; DROP TABLE iris' LABEL class INTO m;
