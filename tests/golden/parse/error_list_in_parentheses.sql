SELECT * FROM iris TO TRAIN M WITH model.hidden_units = (16, 16) INTO m;
