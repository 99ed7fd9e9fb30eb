SELECT * FROM iris TO PREDICT USING iris_model;
