SELECT * FROM iris TO PREDICT guess WITH predict.replace = true USING iris_model INTO other.predicted;
