SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16], train.epoch = 60 LABEL class INTO iris_model;
