-- doc/tutorial/iris-dnn.md
SELECT *
FROM iris.train
TO TRAIN DNNClassifier
WITH
  model.n_classes = 3,
  model.hidden_units = [10, 20],
  train.epoch = 100
COLUMN sepal_length, sepal_width, petal_length, petal_width
LABEL class
INTO sqlflow_models.my_dnn_model;

-- doc/tutorial/iris-dnn.md
SELECT *
FROM iris.test
TO PREDICT iris.predict.class
USING sqlflow_models.my_dnn_model;

-- doc/tutorial/iris-dnn.md
SELECT *
FROM iris.predict
LIMIT 5;

-- doc/tutorial/fraud-dnn.md
SELECT * from creditcard.creditcard
TO TRAIN DNNClassifier
WITH model.n_classes=2, model.hidden_units=[128,32], train.epoch=100
COLUMN time,v1,v2,v3,v4,v5,v6,v7,v8,v9,v10,v11,v12,v13,v14,v15,v16,v17,v18,v19,v20,v21,v22,v23,v24,v25,v26,v27,v28,amount
LABEL class
INTO creditcard.creditcard_deep_model;

-- doc/tutorial/fraud-dnn.md
SELECT * from creditcard.creditcard
WHERE class=1
TO PREDICT creditcard.predict.class
USING creditcard.creditcard_deep_model;

-- doc/tutorial/fraud-dnn.md
SELECT class, count(*) from creditcard.predict GROUP BY class;

-- doc/tutorial/housing-xgboost.md
SELECT * FROM boston.train
TO TRAIN xgboost.gbtree
WITH
    objective="reg:squarederror",
    train.num_boost_round = 30
COLUMN crim, zn, indus, chas, nox, rm, age, dis, rad, tax, ptratio, b, lstat
LABEL medv
INTO sqlflow_models.my_xgb_regression_model;

-- doc/tutorial/housing-xgboost.md
SELECT * FROM boston.test
TO PREDICT boston.predict.medv
USING sqlflow_models.my_xgb_regression_model;

-- doc/tutorial/housing-xgboost.md
SELECT * FROM boston.predict LIMIT 5;

-- doc/tutorial/housing-explain.md
SELECT *
FROM boston.train
TO EXPLAIN sqlflow_models.my_xgb_regression_model
WITH
    summary.plot_type="dot",
    summary.alpha=1,
    summary.sort=True
USING TreeExplainer;

-- doc/tutorial/housing-explain.md
SELECT *
FROM boston.train
TO EXPLAIN sqlflow_models.my_xgb_regression_model
WITH
    summary.plot_type="bar",
    summary.alpha=1,
    summary.sort=True
USING TreeExplainer;

-- doc/tutorial/didi/titanic_dnn/README.md
SELECT *
FROM titanic.train
TO TRAIN DNNClassifier
WITH
  model.n_classes = 2,
  model.hidden_units = [10, 40, 10],
  train.epoch = 200,
  train.batch_size = 64
COLUMN pclass_1, pclass_2, pclass_3, sex_female, sex_male, embarked_c, embarked_q, embarked_s, title_master, title_misc, title_miss, title_mr, title_mrs, nosibsp, noparch, nullcabin, cabinalpha, family, isalone, ismother, age, realfare
LABEL survived
INTO sqlflow_models.my_dnn_model;

-- doc/tutorial/didi/titanic_dnn/README.md
SELECT *
FROM titanic.test
TO PREDICT titanic.predict.survived
USING sqlflow_models.my_dnn_model;

-- doc/tutorial/didi/carprice_xgboost/README.md
SELECT *
FROM carprice.train
TO TRAIN xgboost.gbtree
WITH
    objective="reg:squarederror",
    train.num_boost_round = 300,
    eta = 0.1
COLUMN engine_hp, engine_cylinders, number_of_doors, highway_mpg, city_mpg, popularity, market_category_nums, category_factory_tuner, category_luxury, category_high_performance, make_audi, make_bmw, make_honda, transmission_type_automatic, transmission_type_manual, driven_wheels_four_wheel_drive, vehicle_size_large, vehicle_style_coupe, vehicle_style_sedan, vehicle_style_wagon
LABEL msrp
INTO sqlflow_models.my_xgb_regression_model;

-- doc/tutorial/didi/carprice_xgboost/README.md
SELECT * FROM carprice.test
TO PREDICT carprice.predict.msrp
USING sqlflow_models.my_xgb_regression_model;

-- doc/design/xgboost_on_sqlflow_design.md
SELECT * FROM iris.train
TO TRAIN xgboost.gbtree
WITH
    objective=multi:softmax,
    train.num_boost_round=2,
    max_depth=2,
    eta=1,
    num_class=3
LABEL class
INTO my_xgb_model;

-- doc/sql_syntax: TRAIN and test of metrics, cmd/sqlflowserver/e2e_common_cases.go
SELECT * FROM iris.train WHERE class<>2
TO TRAIN DNNClassifier
WITH
	model.n_classes = 2,
	model.hidden_units = [10, 10],
	train.batch_size = 4,
	validation.select = "SELECT * FROM iris.test WHERE class<>2",
	validation.metrics = "Accuracy,AUC",
	model.optimizer=RMSprop
LABEL class
INTO sqlflow_models.mytest_model;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT * FROM iris.train WHERE class<>2
TO TRAIN sqlflow_models.DNNClassifier
WITH
	model.n_classes = 2,
	model.hidden_units = [10, 10],
	train.batch_size = 1,
	validation.select = "SELECT * FROM iris.test WHERE class<>2",
	validation.metrics = "Accuracy,AUC,Precision,Recall",
	model.optimizer=RMSprop, optimizer.learning_rate=0.1
LABEL class
INTO sqlflow_models.mytest_model;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT * FROM housing.train
TO TRAIN DNNRegressor
WITH
	model.hidden_units = [10, 10],
	train.batch_size = 4,
	validation.select = "SELECT * FROM housing.test",
	validation.metrics = "MeanAbsoluteError,MeanAbsolutePercentageError,MeanSquaredError"
LABEL target
INTO sqlflow_models.myreg_model;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT * FROM iris.train
TO TRAIN sqlflow_models.DNNClassifier
WITH model.n_classes = 3, model.hidden_units = [10, 20],
	 validation.select="select * from iris.test", validation.steps=2,
	 train.batch_size = 10, train.epoch=2
COLUMN sepal_length, sepal_width, petal_length, petal_width
LABEL class
INTO sqlflow_models.my_dnn_model;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT *
FROM housing.train
TO TRAIN LinearRegressor
WITH model.label_dimension=1
COLUMN f1,f2,f3,f4,f5,f6,f7,f8,f9,f10,f11,f12,f13
LABEL target
INTO sqlflow_models.my_regression_model;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT *
FROM housing.test
TO PREDICT housing.predict.result
USING sqlflow_models.my_regression_model;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT * FROM iris.train TO TRAIN xgboost.gbtree
	WITH objective="reg:squarederror"
	LABEL class
	INTO sqlflow_models.my_xgb_model_for_show_train;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT * FROM iris.train TO TRAIN xgboost.gbtree
	WITH
		objective="multi:softprob",
		train.num_boost_round = 1,
		train.num_workers = 1,
		eta = 0.4,
		num_class = 3,
		validation.select="select * from iris.train"
	COLUMN BUCKET(petal_length, [0, 1, 2, 3, 4, 5])
	LABEL class
	INTO iris.xgb_fc_test_model_1;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT * FROM iris.train TO TRAIN xgboost.gbtree
	WITH
		objective="multi:softprob",
		train.num_boost_round = 1,
		train.num_workers = 1,
		eta = 0.4,
		num_class = 3,
		validation.select="select * from iris.train"
	LABEL class
	INTO iris.xgb_fc_test_model_2;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT * FROM iris.train TO TRAIN xgboost.gbtree
	WITH
		objective="multi:softprob",
		train.num_boost_round = 1,
		train.num_workers = 1,
		eta = 0.4,
		num_class = 3,
		validation.select="select * from iris.train"
	LABEL class USING iris.xgb_fc_test_model_2
	INTO iris.xgb_fc_test_model_2_new;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT * FROM iris.train TO EVALUATE iris.xgb_fc_test_model_2_new WITH validation.metrics="accuracy_score" LABEL class INTO iris.xgb_fc_test_evaluate_table;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT * FROM iris.train TO EXPLAIN iris.xgb_fc_test_model_2_new WITH summary.plot_type=bar;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT seniorcitizen, customerid, gender, tenure FROM churn.train TO TRAIN xgboost.gbtree
	WITH
		objective="multi:softprob",
		train.num_boost_round = 1,
		train.num_workers = 1,
		eta = 0.4,
		num_class = 2,
		validation.select="select seniorcitizen, customerid, gender, tenure from churn.train"
	COLUMN CATEGORY_HASH(customerid, 10), INDICATOR(CATEGORY_ID(gender, 2))
	LABEL seniorcitizen
	INTO churn.xgb_fc_test_model_3;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT sepal_width, sepal_length, petal_width, petal_length, class FROM iris.train
	TO TRAIN DNNClassifier
	WITH
		model.n_classes = 3,
		model.hidden_units = [10],
		validation.select = "SELECT * FROM iris.train"
	LABEL class
	INTO iris.tf_estimator_inc_train;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT sepal_width, sepal_length, petal_width, petal_length, class FROM iris.train
	TO TRAIN DNNClassifier
	WITH
		model.n_classes = 3,
		model.hidden_units = [10],
		validation.select = "SELECT * FROM iris.train"
	LABEL class
	USING iris.tf_estimator_inc_train
	INTO iris.tf_estimator_inc_train_new;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT f9, target FROM housing.train
TO TRAIN DNNRegressor WITH
		model.hidden_units = [10, 20]
COLUMN EMBEDDING(CATEGORY_ID(f9, 1000), 2, "sum")
LABEL target
INTO housing.dnn_model;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT f9, f10, target FROM housing.train
TO TRAIN DNNLinearCombinedRegressor WITH
		model.dnn_hidden_units = [10, 20]
COLUMN EMBEDDING(CATEGORY_ID(f9, 25), 2, "sum") for dnn_feature_columns
COLUMN INDICATOR(CATEGORY_ID(f10, 712)) for linear_feature_columns
LABEL target
INTO housing.dnnlinear_model;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT f9, f10, target FROM housing.test
TO PREDICT housing.predict.class USING housing.dnnlinear_model;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT * FROM iris.train WHERE class in (0, 1) TO TRAIN xgboost.gbtree
WITH objective="binary:logistic", eval_metric=auc
LABEL class
INTO sqlflow_models.my_xgb_binary_classification_model;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT * FROM iris.train WHERE class in (0, 1) TO TRAIN xgboost.gbtree
WITH objective="binary:logistic", eval_metric=auc, train.disk_cache=True
LABEL class
INTO sqlflow_models.my_xgb_binary_classification_model;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT * FROM iris.train WHERE class !=2
TO TRAIN LinearClassifier LABEL class INTO sqlflow_models.linear_model;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT *
FROM iris.train
TO TRAIN sqlflow_models.DNNClassifier
WITH model.n_classes = 3, model.hidden_units = [10, 20],
	 model.optimizer=RMSprop, optimizer.learning_rate=0.1,
	 model.loss=SparseCategoricalCrossentropy
LABEL class
INTO sqlflow_models.my_dnn_model;

-- SHOW TRAIN
SHOW TRAIN sqlflow_models.my_xgb_model_for_show_train;

-- doc/tutorial/score_card.md
SELECT * FROM scorecard.train
TO TRAIN sqlflow_models.ScoreCard
LABEL serious_dlqin2yrs
INTO sqlflow_models.my_scorecard_model;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT * FROM iris.train
TO TRAIN DNNLinearCombinedClassifier
WITH model.n_classes = 3, model.dnn_hidden_units = [10, 20], train.batch_size = 10, train.epoch = 2,
model.dnn_optimizer=RMSprop, dnn_optimizer.learning_rate=0.01
COLUMN sepal_length, sepal_width FOR linear_feature_columns
COLUMN petal_length, petal_width FOR dnn_feature_columns
LABEL class
INTO sqlflow_models.my_dnn_linear_model;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT c1, label_col FROM key_value.xgboost_sparse_data_train
	TO TRAIN xgboost.gbtree
	WITH
		num_class = 3,
		objective = "multi:softprob",
		train.num_boost_round = 20
	COLUMN SPARSE(c1,11)
	LABEL label_col
	INTO key_value.xgb_kv_column_trained_model;

-- go/executor: classifier of dense columns
SELECT * FROM iris.train_dense
TO TRAIN DNNClassifier
WITH
model.n_classes = 3,
model.hidden_units = [10, 20],
train.epoch = 200,
train.batch_size = 10,
train.verbose = 1
COLUMN DENSE(dense, 4, COMMA)
LABEL class
INTO sqlflow_models.my_dense_dnn_model;

-- go/executor: classifier of dense columns
SELECT * FROM iris.test_dense
TO PREDICT iris.predict_dense.class
USING sqlflow_models.my_dense_dnn_model
;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT * FROM housing.train
TO TRAIN DNNRegressor WITH
    model.hidden_units = [10, 20],
    validation.select = "SELECT * FROM housing.test"
COLUMN INDICATOR(CATEGORY_ID("f10|f9|f4", 1000))
LABEL target
INTO housing.dnn_model;

-- doc/blog: click-through rates
SELECT * FROM ctr.sqlflow_ctr_train_raw
TO TRAIN DNNLinearCombinedClassifier
WITH model.dnn_hidden_units=[64,32], train.batch_size=32, validation.throttle_secs=300
COLUMN NUMERIC("^l[0-9]+$", 1) FOR linear_feature_columns
COLUMN EMBEDDING(CATEGORY_HASH("^c[0-9]+$", 100), 8, "sum") FOR dnn_feature_columns
LABEL 'label'
INTO my_ctr_model;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT *
FROM iris.train
TO TRAIN DNNClassifier
WITH model.n_classes = 3, model.hidden_units = [10, 20],
	 train.batch_size = 10, train.epoch = 6,
	 train.max_steps = 200,
	 train.save_checkpoints_steps=10,
	 train.log_every_n_iter=20,
	 validation.start_delay_secs=10, validation.throttle_secs=10
COLUMN sepal_length, sepal_width, petal_length, petal_width
LABEL class
INTO sqlflow_models.my_dnn_model;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT news_title, class_id
FROM text_cn.train_processed
TO TRAIN DNNClassifier
WITH model.n_classes = 17, model.hidden_units = [10, 20]
COLUMN EMBEDDING(CATEGORY_ID(SPARSE(news_title,16000,COMMA), 16000),128,mean)
LABEL class_id
INTO sqlflow_models.my_text_model;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT news_title, class_id
FROM text_cn.train_processed
TO TRAIN DNNClassifier
WITH model.n_classes = 17, model.hidden_units = [10, 20]
COLUMN EMBEDDING(CATEGORY_ID(news_title,16000,COMMA),128,mean)
LABEL class_id
INTO sqlflow_models.my_text_model;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT news_title, class_id
FROM text_cn.train_processed
TO TRAIN DNNClassifier
WITH model.n_classes = 17, model.hidden_units = [10, 20]
COLUMN EMBEDDING(SPARSE(news_title,16000,COMMA),128,mean)
LABEL class_id
INTO sqlflow_models.my_text_model;

-- cmd/sqlflowserver/end_to_end_test.go
SELECT c1, c2, c3, c4, c5, class from feature_derivation_case.train
TO TRAIN DNNClassifier
WITH model.n_classes=3, model.hidden_units=[10,10]
COLUMN EMBEDDING(c3, 32, sum), EMBEDDING(SPARSE(c5, 64, COMMA), 32, sum)
LABEL class
INTO sqlflow_models.my_derived_model;

-- cmd/sqlflowserver/e2e_common_cases.go
SELECT * FROM key_value.weighted_key_value_train
TO TRAIN DNNClassifier
WITH model.hidden_units=[64,32], train.batch_size=2
COLUMN EMBEDDING(
	WEIGHTED_CATEGORY(CATEGORY_HASH(SPARSE(feature, 10, ",", "int", ":", "float"), 10)),
	32
)
LABEL label_col
INTO sqlflow_models.weighted_model;
