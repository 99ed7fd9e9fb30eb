-- query: v TEXT 1000 texts; s TEXT 990 texts 10 nulls; age INTEGER 1000 integers; y INTEGER 1000 integers
SELECT * FROM t TO TRAIN xgboost.gbtree WITH monotone_constraints = '(1,0)' COLUMN DENSE(v, 2, ';'), SPARSE(s, 3, ' ') LABEL y INTO m;
