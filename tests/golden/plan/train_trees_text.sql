-- query: words TEXT 1000 texts 900 spaced 60000 bytes 1000 counted 990 different; churned INTEGER 1000 integers
SELECT * FROM churn TO TRAIN XGBClassifier COLUMN TEXT(words, 6, 40) LABEL churned INTO m;
