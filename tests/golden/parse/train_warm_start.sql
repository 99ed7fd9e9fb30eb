SELECT * FROM t TO TRAIN DNNClassifier WITH model.hidden_units=[4] LABEL y USING models.old_one INTO models.new_one;
