-- query: n1 REAL 150 reals; n2 REAL 148 reals 2 nulls; site TEXT 150 texts; ad TEXT 150 texts; clicked INTEGER 150 integers
SELECT * FROM t TO TRAIN DeepFMClassifier WITH job.ps = 4, model.embedding_dimension = 128 COLUMN n1, CATEGORY_HASH(site, 10000000), CATEGORY_HASH(ad, 10000000) LABEL clicked INTO m;
