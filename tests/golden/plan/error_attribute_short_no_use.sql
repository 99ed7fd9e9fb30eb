-- query: sepal_length REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN LinearClassifier WITH hidden_units = [64] LABEL class INTO m;
