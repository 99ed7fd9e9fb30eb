-- query: age INTEGER 150 integers; churned INTEGER 150 integers
SELECT * FROM churn TO TRAIN XGBClassifier WITH skip_drop = 0.5 LABEL churned INTO m;
