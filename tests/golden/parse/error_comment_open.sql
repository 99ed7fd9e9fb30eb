SELECT * FROM iris TO TRAIN M /* to do LABEL class INTO m;
