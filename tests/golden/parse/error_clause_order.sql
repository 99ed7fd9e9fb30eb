SELECT * FROM iris TO TRAIN DNNClassifier LABEL class WITH train.epoch = 10 INTO m;
