SELECT * FROM iris TO TRAIN M WITH train.epoch == 10 INTO m;
