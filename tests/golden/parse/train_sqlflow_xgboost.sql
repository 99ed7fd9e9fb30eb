SELECT * FROM iris.train TO TRAIN xgboost.gbtree WITH objective="multi:softmax", train.num_boost_round=30, eta=0.4, validation.select="SELECT * FROM iris.test" LABEL class INTO sqlflow_models.my_xgb;
