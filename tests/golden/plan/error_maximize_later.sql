-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
SELECT * FROM plants TO MAXIMIZE SUM(a * b) CONSTRAINT SUM(a) <= 10 WITH variables = 'a' INTO r;
