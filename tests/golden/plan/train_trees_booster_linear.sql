-- query: age INTEGER 150 integers; churned INTEGER 150 integers
SELECT * FROM churn TO TRAIN XGBClassifier WITH booster = 'gblinear' LABEL churned INTO m;
