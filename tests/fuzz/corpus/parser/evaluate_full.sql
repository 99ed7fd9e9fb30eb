SELECT * FROM iris.test TO EVALUATE models.m WITH validation.metrics="Accuracy,AUC" LABEL class INTO iris.evaluation;
