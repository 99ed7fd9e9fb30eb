select * from iris to train DNNClassifier with model.hidden_units=[8] column a label class into m;
