-- query: n1 REAL 150 reals; n2 REAL 148 reals 2 nulls; site TEXT 150 texts; ad TEXT 150 texts; clicked INTEGER 150 integers
SELECT * FROM t TO TRAIN DeepFMClassifier WITH engine.num_ps = 2, model.linear_optimizer = 'auto', train.shuffle = true, model.batch_norm = false, train.early_stopping = 0, train.folds = 0, job.where = 'local', job.read = 'auto' LABEL clicked INTO m;
