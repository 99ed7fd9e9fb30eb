-- query: signup TEXT 150 texts 150 dates; y INTEGER 150 integers
-- validation: y INTEGER 50 integers; signup TEXT 50 texts 50 dates
SELECT * FROM t TO TRAIN LinearClassifier WITH validation.select = 'SELECT * FROM v' LABEL y INTO m;
