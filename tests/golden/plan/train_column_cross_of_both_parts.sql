-- query: a INTEGER 150 integers; b INTEGER 150 integers; y INTEGER 150 integers
SELECT * FROM t TO TRAIN DNNLinearCombinedClassifier COLUMN CROSS([a, b], 50) FOR linear_feature_columns COLUMN CROSS([a, b], 50) FOR dnn_feature_columns LABEL y INTO m;
