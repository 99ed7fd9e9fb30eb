-- query: sepal_length REAL 150 reals; class INTEGER 150 integers 150 counted 3 different
SELECT * FROM iris TO TRAIN xgboost.gblinear WITH objective = 'binary:logistic', num_class = 3 LABEL class INTO m;
