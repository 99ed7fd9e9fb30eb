-- query: age INTEGER 1000 integers; site TEXT 1000 texts; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [8] COLUMN CATEGORY_HASH(site, 10, COMMA, 3, 4) LABEL y INTO m;
