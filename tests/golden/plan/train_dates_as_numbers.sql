-- dialect: postgres
-- query: d date 150 integers 150 dates; x float8 150 reals; y int4 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN NUMERIC(d), x LABEL y INTO m;
