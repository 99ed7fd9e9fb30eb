SELECT * FROM iris TO TRAIN DNNClassifier COLUMNS a, b LABEL class INTO m;
