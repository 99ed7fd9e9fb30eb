-- dialect: postgres
-- query: n integer 150 integers; "Profile" jsonb 150 blobs; y integer 150 integers
SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m;
