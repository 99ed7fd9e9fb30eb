SELECT * FROM iris TO TRAIN M WITH a = 'it's, b = 1 INTO m;
