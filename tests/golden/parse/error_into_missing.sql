SELECT * FROM iris TO TRAIN DNNClassifier WITH train.epoch = 10 LABEL class;
