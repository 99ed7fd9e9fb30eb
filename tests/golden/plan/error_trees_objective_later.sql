-- query: age INTEGER 1000 integers; plan TEXT 990 texts 10 nulls 990 counted 4 different; usage REAL 1000 reals; churned INTEGER 1000 integers 1000 counted 2 different
SELECT * FROM churn TO TRAIN xgboost.gbtree WITH objective = 'rank_xendcg' LABEL churned INTO m;
