SELECT * FROM iris TO EVALUATE a, models.b, "c d" WITH validation.metrics = AUC LABEL class INTO compared;
