-- query: age INTEGER 150 integers; churned INTEGER 150 integers
SELECT * FROM churn TO TRAIN xgboost.gblinear WITH objective = 'binary:logistic', lambda = 0.01, updater = 'shotgun' LABEL churned INTO m;
