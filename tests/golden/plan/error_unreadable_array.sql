-- dialect: postgres
-- query: n integer 150 integers; "Tags" text[] 150 blobs; y integer 150 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN NUMERIC("Tags") LABEL y INTO m;
