SELECT * FROM iris TO TRAIN M WITH train.epoch = , a = 1 INTO m;
