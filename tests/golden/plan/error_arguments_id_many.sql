-- query: a REAL 150 reals; b TEXT 150 texts; c TEXT 150 texts; d INTEGER 150 integers; y INTEGER 150 integers
SELECT * FROM t TO TRAIN DeepFMClassifier COLUMN CATEGORY_ID(b, 5, ',', 9999) LABEL y INTO m;
