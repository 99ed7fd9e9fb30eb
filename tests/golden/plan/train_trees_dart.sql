-- query: age INTEGER 150 integers; churned INTEGER 150 integers
EXPLAIN SELECT * FROM churn TO TRAIN lightgbm.dart WITH drop_rate = 0.2, job.lanes = 8 LABEL churned INTO m;
