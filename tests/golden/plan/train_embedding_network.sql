-- query: site TEXT 1000 texts; ad TEXT 1000 texts; note TEXT 1000 texts; price REAL 1000 reals; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN DNNClassifier WITH hidden_units = [8] COLUMN EMBEDDING(site, 16) LABEL y INTO m;
