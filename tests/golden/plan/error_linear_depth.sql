-- query: age INTEGER 150 integers; churned INTEGER 150 integers
SELECT * FROM churn TO TRAIN XGBClassifier WITH booster = 'gblinear', max_depth = 3 LABEL churned INTO m;
