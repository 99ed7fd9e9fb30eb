SELECT * FROM iris TO TRAIN M WITH train.epoch = 12abc INTO m;
