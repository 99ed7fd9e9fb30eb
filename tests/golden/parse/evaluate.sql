SELECT * FROM iris TO EVALUATE iris_model WITH validation.metrics = 'Accuracy,LogLoss';
