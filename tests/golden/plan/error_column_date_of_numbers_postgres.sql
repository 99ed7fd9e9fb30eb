-- dialect: postgres
-- query: signup int8 150 integers; y int4 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN DATE(signup) LABEL y INTO m;
