-- query: Age REAL 10 reals; AGE REAL 10 reals; class INTEGER 10 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN age LABEL class INTO m;
