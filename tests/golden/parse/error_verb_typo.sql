SELECT * FROM iris TO TRIAN DNNClassifier INTO m;
