SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO m
