-- query: age INTEGER 150 integers; plan TEXT 150 texts; churned INTEGER 150 integers
SELECT * FROM churn TO TRAIN LogisticRegression WITH model.max_iter = 50 LABEL churned INTO m;
