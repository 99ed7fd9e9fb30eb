-- query: v TEXT 1000 texts; s TEXT 990 texts 10 nulls; age INTEGER 1000 integers; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN DNNLinearCombinedClassifier WITH dnn_hidden_units = [8] COLUMN DENSE(v, 3), SPARSE(s, 3) FOR linear_feature_columns COLUMN age, DENSE(v, 4) FOR dnn_feature_columns LABEL y INTO m;
