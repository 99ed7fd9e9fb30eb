SELECT * FROM iris TO TRAIN DNNClassifier INTO iris_model;
