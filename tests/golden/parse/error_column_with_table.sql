SELECT * FROM iris TO TRAIN M COLUMN iris.a, iris.b LABEL class INTO m;
