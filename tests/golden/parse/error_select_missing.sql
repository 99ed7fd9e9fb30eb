TO TRAIN DNNClassifier LABEL class INTO m;
