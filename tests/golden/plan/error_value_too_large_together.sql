-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN DNNClassifier WITH model.n_classes = 10000,
  model.hidden_units = [8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192] LABEL class INTO m;
