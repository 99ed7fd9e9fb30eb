-- dialect: postgres
-- query: n integer 150 integers; at time without time zone 150 blobs; y integer 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN NUMERIC(at) LABEL y INTO m;
