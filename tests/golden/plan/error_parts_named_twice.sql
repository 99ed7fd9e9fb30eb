-- query: site TEXT 1000 texts; ad TEXT 1000 texts; note TEXT 1000 texts; price REAL 1000 reals; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN DNNLinearCombinedClassifier COLUMN price, price FOR linear_feature_columns COLUMN site FOR dnn_feature_columns LABEL y INTO m;
