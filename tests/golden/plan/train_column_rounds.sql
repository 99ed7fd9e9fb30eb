-- query: age INTEGER 1000 integers; price TEXT 1000 texts 990 separated 10 missing; site TEXT 1000 texts; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN LinearClassifier COLUMN LOG_ROUND(price, 8, 10), LOG_ROUND(age, 6), ROUND_IDENTITY(age, 5), INDICATOR(LOG_ROUND(age, 4, 2)), CROSS([site, LOG_ROUND(age, 4)], 50) LABEL y INTO m;
