-- query: f0 REAL 1000 reals; f1 REAL 1000 reals; f2 REAL 1000 reals; word TEXT 1000 texts 1000 counted 30 different; y INTEGER 1000 integers 1000 counted 2 different
EXPLAIN SELECT * FROM higgs TO TRAIN LGBMClassifier LABEL y INTO m;
