-- query: age INTEGER 150 integers; churned INTEGER 150 integers
SELECT * FROM churn TO TRAIN xgboost.gblinear WITH objective = 'binary:logistic', base_score = 0 LABEL churned INTO m;
