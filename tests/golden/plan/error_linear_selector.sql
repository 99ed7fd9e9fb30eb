-- query: age INTEGER 150 integers; churned INTEGER 150 integers
SELECT * FROM churn TO TRAIN xgboost.gblinear WITH feature_selector = 'thrifty' LABEL churned INTO m;
