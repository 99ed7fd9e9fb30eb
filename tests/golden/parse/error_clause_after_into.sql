SELECT * FROM iris TO TRAIN DNNClassifier INTO m LABEL class;
