-- query: age INTEGER 150 integers; churned INTEGER 150 integers
SELECT * FROM churn TO TRAIN LGBMClassifier WITH boosting_type = 'gblinear' LABEL churned INTO m;
