-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
SELECT * FROM t TO TRAIN DNNClassifier WITH model.hidden_units = 16.0, train.epoch = 5e1, train.shuffle = 0, model.standardize = 1, validation.metrics = [accuracy, 'F1', Accuracy], train.test_size = 0.25 LABEL class INTO m;
