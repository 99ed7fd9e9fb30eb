SELECT * FROM iris TO TRAIN DNNClassifier WITH train.epoch = 10 WITH train.seed = 1 INTO m;
