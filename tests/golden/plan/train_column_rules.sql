-- query: age INTEGER 1000 integers; price TEXT 1000 texts 990 separated 10 missing; site TEXT 1000 texts; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN DNNClassifier WITH model.hidden_units = [8] COLUMN *, age, BUCKET(age, [18, 30.5, 65]), BUCKET(NUMERIC(age, 1), 10), INDICATOR(CATEGORY_ID(age, 120)), CATEGORY_HASH(site, 1000), BUCKET(price, [-1e3, 0]) LABEL y INTO m;
