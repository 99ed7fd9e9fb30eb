-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN LinearClassifier WITH model.optimizer = 'FTRL', optimizer.l1_regularization_strength = 0.01, optimizer.clipnorm = 5 LABEL class INTO m;
