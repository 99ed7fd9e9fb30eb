-- query: a REAL 700 reals; b TEXT 700 texts; y TEXT 700 texts
SELECT * FROM t TO TRAIN DNNClassifier WITH tune.trials = 2, model.optimizer = ['sgd', 'adam'], optimizer.nesterov = true LABEL y INTO m;
