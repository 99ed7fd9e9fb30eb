-- query: site TEXT 1000 texts; ad TEXT 1000 texts; note TEXT 1000 texts; price REAL 1000 reals; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN DCNClassifier WITH embedding_dimension = 4 COLUMN price, EMBEDDING(site, 16), EMBEDDING(ad, 4), note LABEL y INTO m;
