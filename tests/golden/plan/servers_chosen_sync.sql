-- query: n1 REAL 150 reals; n2 REAL 148 reals 2 nulls; site TEXT 150 texts; ad TEXT 150 texts; clicked INTEGER 150 integers
SELECT * FROM t TO TRAIN DeepFMClassifier WITH job.memory = '256Mi', job.reproducible = true COLUMN n1, EMBEDDING(CATEGORY_HASH(site, 1000000), 16), EMBEDDING(CATEGORY_HASH(ad, 1000000), 16) LABEL clicked INTO m;
