SELECT * FROM t TO TRAIN DNNClassifier WITH tune.trials = 20, optimizer.learning_rate = RANGE(1e-4, -.1, 'log'), range = range([1], x) LABEL y INTO m; SHOW TRIALS m;
