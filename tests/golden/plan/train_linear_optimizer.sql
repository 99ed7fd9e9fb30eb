-- query: n1 REAL 150 reals; n2 REAL 148 reals 2 nulls; site TEXT 150 texts; ad TEXT 150 texts; clicked INTEGER 150 integers
SELECT * FROM t TO TRAIN DNNLinearCombinedClassifier WITH model.linear_optimizer = 'FTRL', linear_optimizer.learning_rate = 0.05, linear_optimizer.l1_regularization_strength = 0.5, model.dnn_optimizer = 'Adagrad', dnn_optimizer.learning_rate = 0.02 LABEL clicked INTO m;
