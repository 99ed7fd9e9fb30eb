-- query: sepal_length REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN LinearClassifier WITH metrics = 'AUC' LABEL class INTO m;
