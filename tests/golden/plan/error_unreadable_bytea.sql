-- dialect: postgres
-- query: picture bytea 150 blobs; cost money 150 blobs; y integer 150 integers
SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m;
