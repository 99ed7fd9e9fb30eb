-- query: sepal_length REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = 5, train.epoch = 6 LABEL class INTO m;
