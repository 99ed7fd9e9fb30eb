-- validation: sepal_length REAL 10 reals; sepal_width REAL 10 reals; petal_length REAL 10 reals; petal_width REAL 10 reals; class INTEGER 10 integers
-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier WITH train.test_size = 0, validation.select = 'SELECT * FROM v' LABEL class INTO m;
