SELECT * FROM train_table TO TRAIN xgboost.gbtree WITH objective=multi:softmax, max_depth=2, eta=1 LABEL class INTO my_xgb_model;
