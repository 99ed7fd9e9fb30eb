-- query: age INTEGER 1000 integers; price TEXT 1000 texts 990 separated 10 missing; site TEXT 1000 texts; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [8] COLUMN CATEGORY_HASH(site) LABEL y INTO m;
