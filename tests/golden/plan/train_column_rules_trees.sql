-- query: age INTEGER 1000 integers; price TEXT 1000 texts 990 separated 10 missing; site TEXT 1000 texts; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN xgboost.gbtree COLUMN age, BUCKET(age, 4), CATEGORY_HASH(site, 50), site LABEL y INTO m;
