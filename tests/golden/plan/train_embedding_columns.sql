-- query: site TEXT 1000 texts; ad TEXT 1000 texts; note TEXT 1000 texts; price REAL 1000 reals; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN DeepFMClassifier COLUMN price, EMBEDDING(site, 16), EMBEDDING(CATEGORY_HASH(ad, 1000), 16, mean), EMBEDDING(TEXT(note), 16, 'sqrtn'), EMBEDDING(BUCKET(price, 4), 16, sum) LABEL y INTO m;
