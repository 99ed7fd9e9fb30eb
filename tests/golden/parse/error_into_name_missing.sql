SELECT * FROM iris TO TRAIN DNNClassifier LABEL class INTO;
