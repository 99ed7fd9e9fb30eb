SELECT * FROM iris TO TRAIN M WITH train.epoch = 10, model.x = 1,
  train.epoch = 20 INTO m;
