-- query: sepal_length REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN LinearClassifier WITH test_size = 20 LABEL class INTO m;
