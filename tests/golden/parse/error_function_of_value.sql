SELECT * FROM t TO TRAIN DNNClassifier WITH a = uniform(1, 2) LABEL y INTO m;
