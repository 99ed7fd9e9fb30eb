-- query: a REAL 700 reals; b TEXT 700 texts; y TEXT 700 texts
SELECT * FROM t TO TRAIN DNNClassifier WITH tune.trials = 3, model.hidden_units = [[32], [64, 32]], learning_rate = RANGE(1e-4, 1e-1), activation = ['relu', tanh], train.epoch = 5 LABEL y INTO m;
