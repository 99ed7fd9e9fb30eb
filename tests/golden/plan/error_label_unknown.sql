-- query: id INTEGER 9 integers; age REAL 9 reals; plan TEXT 9 texts; has_churned INTEGER 9 integers
SELECT * FROM churn TO TRAIN LinearClassifier LABEL churned INTO m;
