SELECT * FROM iris TO PREDICT iris_predicted.class;
