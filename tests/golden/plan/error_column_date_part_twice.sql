-- query: signup TEXT 150 texts 150 dates; y INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN DATE(signup, 'age', 'hour', 'Age') LABEL y INTO m;
