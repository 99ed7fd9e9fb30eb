SELECT * FROM t TO TRAIN WideAndDeepClassifier
COLUMN EMBEDDING(CONCAT(VOCABULARIZE(site), BUCKETIZE(age, num_buckets=5)) AS g, 8), CROSS([a AS "odd name", b], 10) FOR deep_embeddings
COLUMN EMBEDDING(g, dimension = 1), as FOR wide_embeddings
LABEL y INTO m;
