-- dialect: postgres
-- query: n integer 150 integers; "Time spent" interval 150 blobs; y integer 150 integers
SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m;
