-- query: site TEXT 1000 texts; ad TEXT 1000 texts; note TEXT 1000 texts; price REAL 1000 reals; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN DNNLinearCombinedClassifier COLUMN price, CROSS([site, ad], 1000), BUCKET(price, 4) FOR linear_feature_columns COLUMN price, EMBEDDING(site, 4), EMBEDDING(BUCKET(price, 4), 2), BUCKET(price, [0.5]) FOR dnn_feature_columns LABEL y INTO m;
