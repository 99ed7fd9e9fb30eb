-- query: a REAL 150 reals; b TEXT 150 texts; c TEXT 150 texts; d INTEGER 150 integers; y INTEGER 150 integers
SELECT * FROM t TO TRAIN DeepFMClassifier COLUMN WEIGHTED_CATEGORY(b) LABEL y INTO m;
