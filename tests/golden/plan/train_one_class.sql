-- query: a REAL 150 reals; b REAL 150 reals
SELECT * FROM t TO TRAIN sqlflow_models.OneClassSVM WITH model.nu = 0.1, model.kernel = 'rbf' INTO m;
