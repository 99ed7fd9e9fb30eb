-- query: age INTEGER 150 integers; plan TEXT 150 texts; churned INTEGER 150 integers
SELECT * FROM churn TO TRAIN NaiveBayes WITH alpha = 0 LABEL churned INTO m;
