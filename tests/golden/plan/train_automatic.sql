-- query: sepal_length REAL 150 reals; sepal_width REAL 150 reals; petal_length REAL 150 reals; petal_width REAL 150 reals; class INTEGER 150 integers
SELECT * FROM iris TO TRAIN DNNRegressor WITH train.epoch = 'auto', model.l2 = auto, train.batch_size = 16 LABEL class INTO m;
