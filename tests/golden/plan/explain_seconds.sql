-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
EXPLAIN SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [512, 256], train.epoch = 10000 LABEL class INTO m;
