-- query: age INTEGER 1000 integers; years REAL 1000 reals; claims INTEGER 1000 integers 1000 counted 5 different
SELECT age, years, claims FROM p TO TRAIN xgboost.gbtree WITH base_margin = 'years' LABEL claims INTO m;
