-- query: age INTEGER 150 integers; plan TEXT 150 texts; spent REAL 150 reals
SELECT * FROM churn TO TRAIN OrdinaryLeastSquares WITH model.l2 = 0.5 LABEL spent INTO m;
