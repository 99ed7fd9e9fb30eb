SELECT * FROM iris.test TO PREDICT iris.predict.class WITH predict.batch_size=1, predict.extra_outputs='probability' USING sqlflow_models.my_dnn_model;
