SELECT * FROM t TO TRAIN LinearClassifier COLUMN * EXCEPT (a, "b c", 'x_.*', LIKE 'tmp\_%', like, except), EMBEDDING(a, 8), except LABEL like INTO exclude;
SELECT * FROM t TO TRAIN WideAndDeepClassifier COLUMN * exclude (a) FOR linear_feature_columns COLUMN *, EXCLUDE FOR dnn_feature_columns LABEL y INTO m;
