-- query: age INTEGER 150 integers; "BUCKET(age)" INTEGER 150 integers; y INTEGER 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN BUCKET(age, [1]) LABEL y INTO m;
