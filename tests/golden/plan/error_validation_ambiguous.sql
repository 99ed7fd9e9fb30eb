-- validation: sepal_length REAL 10 reals; sepal_width REAL 10 reals; petal_length REAL 10 reals; petal_width REAL 10 reals; PETAL_WIDTH REAL 10 reals; class INTEGER 10 integers
-- query: sepal_length REAL 150 reals; Petal_Width REAL 150 reals; class INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier WITH validation.select = 'SELECT * FROM v' LABEL class INTO m;
