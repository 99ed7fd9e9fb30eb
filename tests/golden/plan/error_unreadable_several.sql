-- dialect: postgres
-- query: n integer 150 integers; spent interval 150 blobs; j jsonb 150 blobs; cost money 150 blobs; "Tags" text[] 150 blobs; ip inet 150 blobs; y integer 150 integers
SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m;
