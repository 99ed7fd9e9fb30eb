-- dialect: postgres
-- query: d date 150 integers 150 dates; ts timestamptz 150 reals 150 dates 149 times; y int4 150 integers
SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m;
