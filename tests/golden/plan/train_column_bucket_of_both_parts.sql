-- query: a INTEGER 150 integers; b INTEGER 150 integers; y INTEGER 150 integers
SELECT * FROM t TO TRAIN DNNLinearCombinedClassifier COLUMN BUCKET(a, [1, 2]), BUCKET(b, [3]) FOR linear_feature_columns COLUMN BUCKET(a, [1, 2]), BUCKET(b, [4]) FOR dnn_feature_columns LABEL y INTO m;
