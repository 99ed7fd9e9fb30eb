SELECT * FROM iris TO TRAIN WITH train.epoch = 10 LABEL class INTO m;
